"""Verifies deliveries with Python's standard library alone, written from the two specifications.

Reads one JSON object per line: headers, body (base64), now (Unix seconds), keys (label to value). Prints per line the
labels whose key verifies `webhook-signature` (Standard Webhooks 1.0.0) and those whose key verifies `x-service-signature`.
"""
import base64
import hashlib
import hmac
import json
import sys

TOLERANCE_S = 300


def standard(key, headers, body, now):
    if abs(now - int(headers['webhook-timestamp'])) > TOLERANCE_S:
        return False
    secret = base64.b64decode(key.removeprefix('whsec_'), validate=True)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    given = [value.partition(',') for value in headers['webhook-signature'].split(' ')]
    return any(version == 'v1' and hmac.compare_digest(text, expected) for version, _, text in given)


def service(key, headers, body, _now):
    expected = hmac.new(key.encode(), b'POST' + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers['x-service-signature'], expected)


for line in sys.stdin:
    delivery = json.loads(line)
    body = base64.b64decode(delivery['body'])

    def labels(verifies):
        return [label for label, key in delivery['keys'].items() if verifies(key, delivery['headers'], body, delivery['now'])]

    print(json.dumps({'standard': labels(standard), 'service': labels(service)}))
