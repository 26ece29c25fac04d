import { relative } from 'node:path'
import type { Running } from '../main.ts'
import type { Demo } from './seed.ts'

/** What a person reads after the start: the addresses, what to trust, and the next step. */
export function welcome(
  { origin, ca_file, management_port }: Running,
  demo: Demo | null | undefined,
  isNew: boolean,
): string {
  const ca = ca_file ? relative('', ca_file) : null
  const curl = `curl ${ca ? `--cacert ${ca} ` : ''}-H "Authorization: Bearer ${demo ? demo.token : '$STINT_TOKEN'}" ${origin}/rest/v2/contracts`
  return [
    '',
    `Stint answers on ${origin}`,
    `  REST API     ${origin}/rest/v2`,
    `  OpenAPI      ${origin}/openapi.json`,
    `  Reference    ${origin}/docs`,
    `  Health       http://127.0.0.1:${management_port}/health/ready`,
    ...(ca ? [`  Trust        ${ca} (local development authority)`] : []),
    '',
    ...nextStep(demo, isNew),
    '',
    `  ${curl}`,
    '',
  ].join('\n')
}

function nextStep(demo: Demo | null | undefined, isNew: boolean): string[] {
  if (demo) {
    return [
      `The demo organization ${demo.organization_id} is ready. Its token, shown this once:`,
      '',
      `  ${demo.token}`,
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
  if (!isNew) return ['Then:']
  return [
    'There is no organization yet. In another terminal:',
    '',
    '  npx stint admin create --email you@example.org --organization "My company"',
    '  export STINT_TOKEN=$(npx stint token create --organization "My company" --name first --scopes all)',
    '',
    'Then:',
  ]
}
