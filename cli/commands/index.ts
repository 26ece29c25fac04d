import type { Command } from '../command.ts'
import { type OperationCommand, operationCommands } from '../service/document.ts'
import { operationCommand } from '../service/operation-command.ts'

/** A command by the words after `stint`, e.g. `admin create`; the rest of it is loaded when it is called. */
export interface CommandEntry {
  name: string
  summary: string
  /** For those who run a service, or for those who use one. */
  audience: 'operator' | 'integrator'
  load(): Promise<Command>
}

type Row = Omit<CommandEntry, 'audience'>

const operatorCommands: readonly Row[] = [
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
    summary: 'Show whether the schema of the database fits this release',
    load: async () => (await import('./migrate.ts')).migrateStatus,
  },
  {
    name: 'migrate verify',
    summary: 'Compare everything in the schema with what the migrations of this release make',
    load: async () => (await import('./migrate.ts')).migrateVerify,
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
    name: 'seed demo',
    summary: 'Fill a new, empty database with a demo organization, beside a running service',
    load: async () => (await import('./seed-demo.ts')).seedDemoCommand,
  },
  {
    name: 'doctor',
    summary: 'Look at everything that a start needs, and say what to do about what is not right',
    load: async () => (await import('./doctor.ts')).doctor,
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
    name: 'backup create',
    summary: 'Write everything the database holds into one archive, beside a running service',
    load: async () => (await import('./backup.ts')).backupCreate,
  },
  {
    name: 'backup verify',
    summary: 'Restore an archive into a scratch database and compare every table',
    load: async () => (await import('./backup.ts')).backupVerify,
  },
  {
    name: 'backup restore',
    summary: 'Restore an archive into an empty database',
    load: async () => (await import('./backup.ts')).backupRestore,
  },
  {
    name: 'audit verify',
    summary:
      'Check that no entry of the audit log was changed, removed, added or moved, in the database or in an export',
    load: async () => (await import('./audit-verify.ts')).auditVerify,
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

const integratorCommands: readonly Row[] = [
  {
    name: 'login',
    summary: 'Store address and token of a service, in a file that only you can read',
    load: async () => (await import('./login.ts')).login,
  },
  {
    name: 'logout',
    summary: 'Forget the profile and end the sign-in by browser',
    load: async () => (await import('./login.ts')).logout,
  },
  {
    name: 'profile list',
    summary: 'List the stored services and name the current one',
    load: async () => (await import('./profile.ts')).profileList,
  },
  {
    name: 'profile use',
    summary: 'Make another stored service the current one',
    load: async () => (await import('./profile.ts')).profileUse,
  },
  {
    name: 'listen',
    summary: 'Forward the events of the organization to an address of yours, signed as webhooks are',
    load: async () => (await import('./listen.ts')).listen,
  },
  {
    name: 'trigger',
    summary: 'Send a simulated event to a subscription',
    load: async () => (await import('./trigger.ts')).trigger,
  },
  {
    name: 'events tail',
    summary: 'Print events as they happen',
    load: async () => (await import('./events-tail.ts')).eventsTail,
  },
  {
    name: 'verify',
    summary: 'Check the signature of a delivery against its body',
    load: async () => (await import('./verify.ts')).verify,
  },
  ...(['get', 'post', 'patch', 'put', 'delete'] as const).map((method) => ({
    name: method,
    summary: `Send ${method === 'get' ? 'a' : 'one'} ${method.toUpperCase()} request to any path of the API`,
    load: async () => (await import('./request.ts')).requestCommand(method),
  })),
  {
    name: 'completion',
    summary: 'Print the completion script of bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion,
  },
]

/** Further names of operations that are asked for often. */
const otherNames: Record<string, string> = {
  'webhooks deliveries': 'webhooks list-deliveries',
  'deliveries list': 'webhooks list-deliveries',
  'deliveries show': 'webhooks get-delivery',
  'deliveries redeliver': 'webhooks redeliver',
}

/** Every command that is no operation, in the order of the overview. */
export const commands: readonly CommandEntry[] = [
  ...operatorCommands.map((row) => ({ ...row, audience: 'operator' as const })),
  ...integratorCommands.map((row) => ({ ...row, audience: 'integrator' as const })),
]

/** Every command: those, and one for each operation. */
export function everyCommand(): CommandEntry[] {
  const operations = operationCommands()
  const others = Object.entries(otherNames).flatMap(([name, meant]) =>
    operations.filter((operation) => operation.name === meant).map((operation) => ({ ...operation, name })),
  )
  return [...commands, ...[...operations, ...others].map(entryOf)]
}

function entryOf(operation: OperationCommand): CommandEntry {
  const { name, summary } = operation
  return { name, summary, audience: 'integrator', load: async () => operationCommand(operation) }
}

/** The command that these words call; the operations are read only when no other command is meant. */
export function findCommand(words: readonly string[]): CommandEntry | undefined {
  const [noun = '', verb = '', ...rest] = words
  const called = [noun, verb.startsWith('-') ? verb : verb.replaceAll('_', '-'), ...rest]
  const isCalled = ({ name }: CommandEntry) => name.split(' ').every((word, index) => called[index] === word)
  return commands.find(isCalled) ?? everyCommand().find(isCalled)
}
