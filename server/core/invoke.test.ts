import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseOutdated } from './invoke.ts'

const current = '"a,b"'

for (const if_match of ['"x", "a,b"', ' , "a,b",', 'W/"x","a,b"', '*']) {
  test(`If-Match: ${if_match} names the version`, () => {
    assert.doesNotThrow(() => refuseOutdated({ if_match }, current))
  })
}

for (const if_match of ['a,b', '"x" "a,b"', '"a,b', ',', '","'.repeat(5000), `${'"x'.repeat(5000)}"a,b"`]) {
  test(`If-Match: ${if_match.slice(0, 20)} is refused as no list of tags`, () => {
    assert.throws(() => refuseOutdated({ if_match }, current), /must be \* or entity tags/)
  })
}
