// SPDX-License-Identifier: MIT
// Whether this program was built with a sanitizer. Tests that repeat something a million times, to
// show that it stays quick, repeat it less often then: what a sanitizer finds, it finds at once.
#pragma once

namespace mark6::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace mark6::test
