import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataFolder, stint } from '#test/stint.ts'

const candidates = async (...words: string[]) => (await stint(['complete', '--', ...words])).out.trim().split('\n')

test('the words that may come next are offered: commands, verbs, options and their values', async () => {
  assert.deepEqual(await candidates('contra'), ['contracts'])
  assert.ok((await candidates('webhooks', 're')).includes('replay'))
  assert.ok((await candidates('events', '')).includes('tail'))
  assert.deepEqual(await candidates('contracts', 'list', '--sta'), [
    '--start-date-from',
    '--start-date-to',
    '--statuses',
  ])
  assert.ok((await candidates('webhooks', 'list-deliveries', '--origins', 's')).includes('simulation'))
  assert.deepEqual(await candidates('contracts', 'list', '--js'), ['--json'])
  assert.deepEqual(await candidates('nothing', 'of', 'that'), [''])
})

const shells: { shell: string; ask: (script: string) => string; found: RegExp }[] = [
  {
    shell: 'bash',
    ask: (script) =>
      `source ${script}; COMP_WORDS=(stint contracts arc); COMP_CWORD=2; _stint; echo "\${COMPREPLY[@]}"`,
    found: /^archive$/m,
  },
  {
    shell: 'zsh',
    ask: (script) =>
      `compdef() { :; }; compadd() { shift; print -l "$@"; }; _files() { :; }; source ${script}; words=(stint contracts arc); CURRENT=3; _stint`,
    found: /^archive$/m,
  },
  { shell: 'fish', ask: (script) => `source ${script}; complete -C 'stint contracts arc'`, found: /^archive$/m },
]

for (const { shell, ask, found } of shells) {
  const missing = spawnSync(shell, ['--version']).error ? `${shell} is not on this machine` : false
  test(`the script of ${shell} completes`, { skip: missing }, async (t) => {
    const folder = await dataFolder(t)
    const program = new URL('./stint.js', import.meta.url).pathname
    await writeFile(join(folder, 'stint'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
    await chmod(join(folder, 'stint'), 0o755)
    const script = join(folder, `script.${shell}`)
    await writeFile(script, (await stint(['completion', shell])).out)
    const ran = spawnSync(shell, ['-c', ask(script)], {
      env: { HOME: folder, PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    assert.match(ran.stdout, found, ran.stderr)
  })
}

test('another shell is refused by the names of those that there are', async () => {
  const { status, error } = await stint(['completion', 'tcsh'])
  assert.deepEqual([status, /bash, zsh or fish/.test(error)], [2, true])
})
