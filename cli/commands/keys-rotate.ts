import { countKeys, type KeyCounts, rotateSecrets } from '#operator/rotate-secrets.ts'
import { type Command, exitStatus, print } from '../command.ts'
import { withStorage } from '../operator.ts'

export const keysRotate: Command = {
  usage: '',
  flags: {},
  help: {},
  about:
    'Works beside a running service, which has to be restarted at once afterwards. Interrupted, it is called again and finishes.',
  examples: ['keys rotate'],
  async run(flags) {
    await withStorage(async ({ database, secrets_file }) => {
      const rotation = await rotateSecrets(database, secrets_file)
      print(flags, rotation, [
        rotation.keys_made
          ? `new keys stand first in ${secrets_file}; keep a copy apart from the database`
          : 'an earlier rotation was finished; no new keys were made',
        `${rotation.resealed} values sealed anew`,
        ...linesOf(rotation),
        'Restart every process of the service now: until then they cannot open what is sealed anew, and deliveries wait.',
      ])
    })
    return exitStatus.ok
  },
}

export const keysStatus: Command = {
  usage: '',
  flags: {},
  help: {},
  about: 'A key that nothing needs may be removed from the secrets file, except the first of each kind.',
  examples: ['keys status', 'keys status --json'],
  async run(flags) {
    await withStorage(async ({ database, secrets }) => {
      const counts = await countKeys(database, secrets)
      print(flags, counts, linesOf(counts))
    })
    return exitStatus.ok
  },
}

function linesOf({ sealing_keys, peppers }: KeyCounts): string[] {
  const tell = (what: string, needs: string) => (key: { id: string; rows: number }, place: number) =>
    `${what} ${key.id}: ${key.rows} ${needs}${place > 0 && key.rows === 0 ? ' (may be removed)' : ''}`
  return [...sealing_keys.map(tell('sealing key', 'values')), ...peppers.map(tell('pepper', 'living tokens'))]
}
