import { countKeys, type KeyCount, rotateSealingKeys } from '#operator/sealing-keys.ts'
import { type Command, exitStatus, print } from '../command.ts'
import { withStorage } from '../operator.ts'

export const keysRotate: Command = {
  about:
    'Works beside a running service, which has to be restarted at once afterwards. Interrupted, it is called again and finishes.',
  examples: ['keys rotate'],
  async run(flags) {
    await withStorage(async ({ database, secrets_file }) => {
      const rotation = await rotateSealingKeys(database, secrets_file)
      print(flags, rotation, [
        rotation.keys_made
          ? `a new key stands first in ${secrets_file}; keep a copy apart from the database`
          : 'an earlier rotation was finished; no new key was made',
        `${rotation.resealed} values sealed anew`,
        ...linesOf(rotation.sealing_keys),
        'Restart every process of the service now: until then they cannot open what is sealed anew, and deliveries wait.',
      ])
    })
    return exitStatus.ok
  },
}

export const keysStatus: Command = {
  about: 'A key that nothing needs may be removed from the secrets file, except the first.',
  examples: ['keys status', 'keys status --json'],
  async run(flags) {
    await withStorage(async ({ database, secrets }) => {
      const sealing_keys = await countKeys(database, secrets)
      print(flags, { sealing_keys }, linesOf(sealing_keys))
    })
    return exitStatus.ok
  },
}

function linesOf(keys: readonly KeyCount[]): string[] {
  return keys.map(
    ({ id, rows }, place) => `sealing key ${id}: ${rows} values${place > 0 && rows === 0 ? ' (may be removed)' : ''}`,
  )
}
