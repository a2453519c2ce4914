#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes what comes over TCP on the loopback interface and throws it away.

    tcp_sink.py PORT_FILE COUNT_FILE

PORT_FILE gets the port; COUNT_FILE a line with the bytes of each connection, once it has ended.
"""
import os
import socket
import sys


def main():
    room = bytearray(1 << 20)
    server = socket.create_server(("127.0.0.1", 0))
    with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:
        print(server.getsockname()[1], file=file)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    while True:
        connection, _ = server.accept()
        count = 0
        with connection:
            while got := connection.recv_into(room):
                count += got
        with open(sys.argv[2], "a", encoding="ascii") as file:
            print(count, file=file)


if __name__ == "__main__":
    main()
