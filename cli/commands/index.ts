import type { Command } from '../command.ts'

/** A command by the words after `stint`, e.g. `admin create`; the rest of it is loaded when it is called. */
export interface CommandEntry {
  name: string
  summary: string
  load(): Promise<Command>
}

/** Every command, in the order of the overview. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'Run the service (what `npm start` runs)',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'admin create',
    summary: 'Make the owner of an organization, and the organization when it is new',
    load: async () => (await import('./admin-create.ts')).adminCreate,
  },
  {
    name: 'admin reset',
    summary: 'Print a one-time link by which somebody chooses a new password',
    load: async () => (await import('./admin-reset.ts')).adminReset,
  },
  {
    name: 'token create',
    summary: 'Make a token of an organization or of one of its members; its value is printed once',
    load: async () => (await import('./token-create.ts')).tokenCreate,
  },
  {
    name: 'migrate status',
    summary: 'Show whether the schema of DATABASE_URL fits this release',
    load: async () => (await import('./migrate.ts')).migrateStatus,
  },
  {
    name: 'migrate up',
    summary: 'Bring the schema of DATABASE_URL up to this release',
    load: async () => (await import('./migrate.ts')).migrateUp,
  },
  {
    name: 'config check',
    summary: 'Check the settings without starting anything',
    load: async () => (await import('./config.ts')).configCheck,
  },
  {
    name: 'config print',
    summary: 'Print every setting in force; secrets are redacted',
    load: async () => (await import('./config.ts')).configPrint,
  },
  {
    name: 'keys create',
    summary: 'Make the secrets file (the sealing key) for a service on PostgreSQL',
    load: async () => (await import('./keys-create.ts')).keysCreate,
  },
  {
    name: 'keys rotate',
    summary: 'Put a new sealing key first and seal every stored value anew',
    load: async () => (await import('./keys-rotate.ts')).keysRotate,
  },
  {
    name: 'keys status',
    summary: 'Show how many stored values need each key of the secrets file',
    load: async () => (await import('./keys-rotate.ts')).keysStatus,
  },
  {
    name: 'webhooks check',
    summary: 'Ask the stored deliveries whether everything that was promised of them holds',
    load: async () => (await import('./webhooks.ts')).webhooksCheck,
  },
  {
    name: 'webhooks release',
    summary: 'Send a delivery that is held because of faults of our own (hold_reason internal)',
    load: async () => (await import('./webhooks.ts')).webhooksRelease,
  },
]
