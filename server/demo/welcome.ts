import { relative } from 'node:path'
import type { Running } from '../main.ts'
import type { Demo } from './seed.ts'

export interface Begun {
  /** Undefined where none was asked for, null where the database holds data already. */
  demo: Demo | null | undefined
  /** File with the link that makes the first account; null when there is an account. */
  set_up_file: string | null
}

/** What a person reads after the start: the addresses, what to trust, and the next step. */
export function welcome({ origin, ca_file, management_port }: Running, console_url: string, begun: Begun): string {
  const ca = ca_file ? relative('', ca_file) : null
  const token = begun.demo?.token ?? '$STINT_TOKEN'
  const curl = `curl ${ca ? `--cacert ${ca} ` : ''}-H "Authorization: Bearer ${token}" ${origin}/rest/v2/contracts`
  return [
    '',
    `Stint answers on ${origin}`,
    `  REST API     ${origin}/rest/v2`,
    `  Tool server  ${origin}/mcp`,
    `  Console      ${console_url}`,
    `  OpenAPI      ${origin}/openapi.json`,
    `  Reference    ${origin}/docs`,
    `  Health       http://127.0.0.1:${management_port}/health/ready`,
    ...(ca ? [`  Trust        ${ca} (local development authority)`] : []),
    '',
    ...nextStep(begun),
    '',
    `  ${curl}`,
    '',
  ].join('\n')
}

function nextStep({ demo, set_up_file }: Begun): string[] {
  if (demo) {
    return [
      `The demo organization ${demo.organization_id} is ready. Its token and its owner's sign-in, shown this once:`,
      '',
      `  ${demo.token}`,
      `  ${demo.sign_in.email}   ${demo.sign_in.password}`,
      '',
      'Try it:',
    ]
  }
  if (demo === null) {
    return [
      'This database holds data already, so no demo data was added. For another token:',
      '',
      '  npx stint token create --organization "Harbour Pine" --name again --scopes all',
      '',
      'Then:',
    ]
  }
  if (set_up_file === null) return ['Then:']
  return [
    'Nobody has an account yet. Open the link in this file within 30 minutes to make the first one:',
    '',
    `  ${relative('', set_up_file)}`,
    '',
    'Or in another terminal, with a first token:',
    '',
    '  npx stint admin create --email you@example.org --organization "My company"',
    '  export STINT_TOKEN=$(npx stint token create --organization "My company" --name first --scopes all)',
    '',
    'Then:',
  ]
}
