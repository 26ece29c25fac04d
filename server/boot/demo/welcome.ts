import { isAbsolute, relative } from 'node:path'
import { consoleAddress, shellWord, stintCommand } from '../addresses.ts'
import type { Config } from '../config.ts'
import type { Service } from '../service.ts'
import type { Demo } from './seed.ts'

export interface Begun {
  /** Undefined where none was asked for, null where the database holds other data. */
  demo: Demo | null | undefined
  /** File with the credentials of the demo. */
  demo_file: string
  /** File with the link that makes the first account; null when there is an account. */
  set_up_file: string | null
  /** A person reads this on a terminal: secrets may be shown. Elsewhere it lands in logs, which more people read. */
  is_terminal: boolean
}

/** The parts of a running service that the banner tells of. */
export interface Answering {
  origin: string
  /** The authority that clients must trust; null for the operator's own certificate. */
  ca_file: string | null
  certificate_faults: string[]
  management_port: number
  service: Pick<Service, 'has_console'>
}

/** The text that a person reads after the start: what runs, where it answers, what to trust, and the next step. */
export function welcome(running: Answering, config: Config, begun: Begun): string {
  const { origin, ca_file, service, certificate_faults } = running
  const health = `  Health       http://127.0.0.1:${running.management_port}/health/ready`
  const told = config.STINT_ROLES.includes('api')
    ? [
        `Stint answers on ${origin}`,
        `  REST API     ${origin}/rest/v2`,
        `  Tool server  ${origin}/mcp`,
        ...(service.has_console ? [`  Console      ${consoleAddress(config)}`] : []),
        `  OpenAPI      ${origin}/openapi.json`,
        `  Reference    ${origin}/docs`,
        health,
        ...(ca_file === null ? [] : [`  Trust        ${shown(ca_file)} (local development authority)`]),
        ...certificate_faults.flatMap((fault) => ['', `Clients will object: ${fault}.`]),
        '',
        nextStep(begun, stintCommand(config)),
        '',
        ...firstCall(running, begun),
      ]
    : ['Stint runs as a worker: it sends webhooks and fires timers, and answers no requests.', health]
  return ['', ...told, '', 'Ctrl-C stops it.', ''].join('\n')
}

function nextStep({ demo, demo_file, set_up_file, is_terminal }: Begun, command: string): string {
  const every = '--scopes all --sensitive all'
  if (demo) {
    const ready = `The demo organization ${demo.organization_id} is ready. Its token and its owner's sign-in`
    return is_terminal
      ? `${ready}, shown this once:\n\n  ${demo.token}\n  ${demo.email}   ${demo.password}\n\nTry it:`
      : `${ready} are in this file:\n\n  ${shown(demo_file)}\n\nTry it:`
  }
  if (demo === null) {
    return `This database holds data already, so no demo data was added. A new token for an organization that it holds ("Harbour
Pine" is that of an earlier demo, nora@harbour.example its owner), and a new password:

  export STINT_TOKEN=$(${command} token create --organization "…" --name again ${every})
  ${command} admin reset --email …

Then:`
  }
  if (set_up_file === null) return `With a token in STINT_TOKEN (\`${command} token create --help\`):`
  return `Nobody has an account yet. Open the link in this file within 30 minutes to make the first one:

  ${shown(set_up_file)}

Or in another terminal, with a first token:

  ${command} admin create --email you@example.org --organization "My company"
  export STINT_TOKEN=$(${command} token create --organization "My company" --name first ${every})

Then:`
}

/** A command that works as it is printed, and shows few rows. */
function firstCall({ origin, ca_file }: Answering, { demo, demo_file, is_terminal }: Begun): string[] {
  const token = demo && is_terminal ? demo.token : '$STINT_TOKEN'
  const ca = ca_file === null ? '' : `--cacert ${shellWord(shown(ca_file))} `
  const curl = `curl ${ca}-H "Authorization: Bearer ${token}" '${origin}/rest/v2/contracts?limit=3'`
  return [...(demo && !is_terminal ? [`  . ${shellWord(sourced(shown(demo_file)))}`] : []), `  ${curl}`]
}

/** Short for whoever stands where the command was called; npm runs it in the folder of the package. */
function shown(path: string): string {
  const short = relative(process.env.INIT_CWD ?? '', path)
  return short.startsWith('..') || isAbsolute(short) ? path : short
}

/** `.` looks for a name without a slash in the search path. */
const sourced = (path: string) => (path.includes('/') ? path : `./${path}`)
