import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { originOf, shellWord } from '#boot/addresses.ts'
import type { Config } from '#boot/config.ts'
import { seedDemo } from '#boot/demo/seed.ts'
import { createService } from '#boot/service.ts'
import { createLog } from '#core/log.ts'
import { partsOf } from '#server/main.ts'
import { type Command, exitStatus, print } from '../command.ts'
import { withStorage } from '../operator.ts'

/** Deliveries that the demo makes due are found by the next look of whoever works. */
const wakesNobody = { due: () => undefined, changed: () => undefined }

export const seedDemoCommand: Command = {
  about: `One sandbox organization with people, contracts, invoices and payments of some months, its owner, and a token with every
scope: all of it or nothing. Works beside a running service, and after its first start, which makes the embedded database;
\`stint serve --demo\` does both. A database that holds an organization already is left as it is.`,
  examples: ['seed demo', 'seed demo --json'],
  exits: { [exitStatus.failed]: 'the database holds other data, or filling it failed' },
  async run(flags) {
    const { config, file, demo } = await withStorage(async (storage, config) => {
      const service = createService(partsOf(config, storage, createLog('warn', process.stderr)), wakesNobody)
      const file = resolve(config.STINT_DATA_DIR, 'demo-credentials')
      try {
        return { config, file, demo: await seedDemo({ storage, service }, file) }
      } finally {
        await service.close()
      }
    })
    if (!demo)
      throw new Error(
        'the database holds data already, so nothing was added: name a new one by STINT_DATA_DIR or DATABASE_URL, or fill a sandbox organization anew by `stint sandbox reset --demo-data`',
      )
    print(flags, { ...demo, file }, [
      `the demo organization ${demo.organization_id} is ready; its token and the sign-in of ${demo.email} are in ${file}`,
      `Next: . ${shellWord(file)}; printf %s "$STINT_TOKEN" | npx stint login ${addressOf(config)} --token-stdin`,
    ])
    return exitStatus.ok
  },
}

function addressOf(config: Config): string {
  const ca_file = resolve(config.STINT_DATA_DIR, 'tls', 'ca.pem')
  const isOurs = config.STINT_TLS_CERT_FILE === null && existsSync(ca_file)
  return `--url ${originOf(config)}${isOurs ? ` --ca-file ${shellWord(ca_file)}` : ''}`
}
