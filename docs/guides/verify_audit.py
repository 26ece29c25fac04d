#!/usr/bin/env python3
"""Checks an export of the audit log, and compares it with the seals that were kept elsewhere. Python's standard library only.

    python3 verify_audit.py batches.json entries.json seals.jsonl
"""
import hashlib
import json
import sys

BATCH = ['format', 'organization_id', 'batch', 'previous_hash', 'sealed_at', 'entries_total', 'entries']
ENTRY = ['id', 'occurred_at', 'actor', 'credential_id', 'action', 'subject', 'changed_fields', 'request_id', 'ip', 'surface']


def digest(row, members):
    text = json.dumps({name: row[name] for name in members}, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


batches, entries = (json.load(open(path, encoding='utf-8'))['data'] for path in sys.argv[1:3])
seals = [json.loads(line) for line in open(sys.argv[3], encoding='utf-8')]
rows = {entry['id']: entry for entry in entries}
hashes, faults, last = {0: None}, [], None
for batch in batches:
    number, follows = batch['batch'], batch['previous_hash'] == (last['hash'] if last else None)
    if last and number != last['batch'] + 1 or not follows and (last or number == 1) or digest(batch, BATCH) != batch['hash']:
        faults.append(f'batch {number} was changed, or does not follow the one before')
    hashes[number], last = batch['hash'], batch
    for position, sealed in enumerate([] if batch['entries_removed_at'] else batch['entries'], 1):
        row = rows.pop(sealed['id'], None)
        if not row or (row['batch'], row['position'], digest(row, ENTRY)) != (number, position, sealed['hash']):
            faults.append(f'entry {sealed["id"]} (batch {number}, position {position}) was removed, changed or moved')
faults += [f'entry {row["id"]} was added to batch {row["batch"]}' for row in rows.values() if row['batch'] in hashes]
faults += [f'batch {seal["batch"]} is not the one that was sealed' for seal in seals if hashes.get(seal['batch']) != seal['hash']]
print('\n'.join(faults) or f'whole: {len(entries) - len(rows)} entries in {len(batches)} batches, {len(seals)} seals agree')
sys.exit(1 if faults else 0)
