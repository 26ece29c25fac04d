#!/usr/bin/env python3
"""A webhook receiver in Python's standard library: verifies the signature itself and prints one line per delivery.

    python3 receiver.py --key "$SIGNING_KEY" --cert data/tls/cert.pem --private-key data/tls/key.pem
"""
import argparse
import hashlib
import hmac
import http.server
import json
import ssl

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--port', type=int, default=9444)
parser.add_argument('--key', default='', help='the signing_key of the subscription')
parser.add_argument('--cert', default='data/tls/cert.pem')
parser.add_argument('--private-key', default='data/tls/key.pem')
parser.add_argument('--status', type=int, default=200, help='answer this to every valid delivery')
args = parser.parse_args()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        # The signature covers the raw bytes, so they are read before anything parses them.
        body = self.rfile.read(int(self.headers['content-length']))
        expected = hmac.new(args.key.encode(), b'POST' + body, hashlib.sha256).hexdigest()
        valid = hmac.compare_digest(expected, self.headers.get('x-service-signature', ''))
        if valid:
            event = json.loads(body)
            meta = event['data']['meta']
            word = ['simulation'] if meta.get('is_simulation') else []
            print(*word, meta['event_type'], meta['event_id'], json.dumps(event['data']['resource']), flush=True)
        else:
            print('refused a delivery whose signature is wrong', flush=True)
        self.send_response(args.status if valid else 401)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(args.cert, args.private_key)
server = http.server.ThreadingHTTPServer(('127.0.0.1', args.port), Receiver)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(f'receiver listens on https://localhost:{args.port}/', flush=True)
server.serve_forever()
