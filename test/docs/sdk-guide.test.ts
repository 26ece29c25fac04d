import assert from 'node:assert/strict'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHttpsService } from '#test/https-service.ts'
import { makeSdkProject, root } from '#test/sdk-project.ts'
import { startWebhookBench } from '#test/webhook-bench.ts'
import { sign } from '#webhooks/signature.ts'

/** Calls the receiver of the guide with deliveries that are handed to it, and prints the statuses. */
const receiving = `
import { receive } from './guide.ts'
for (const { headers, body } of JSON.parse(process.env.DELIVERIES ?? '[]')) {
  console.log((await receive(new Request('https://receiver.example/hook', { method: 'POST', headers, body }))).status)
}`

async function guideProject() {
  const project = await makeSdkProject()
  const guide = await readFile(join(root, 'docs/guides/sdk.md'), 'utf8')
  const pieces = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text)
  await writeFile(join(project.folder, 'guide.ts'), pieces.join('\n'))
  await writeFile(join(project.folder, 'receiving.ts'), receiving)
  for (const name of ['@types', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(project.folder, 'node_modules', name))
  }
  return project
}

test('the program of the guide to the client compiles and does what the guide says', async (t) => {
  const [project, service, bench] = [await guideProject(), await startHttpsService(), await startWebhookBench()]
  t.after(() => Promise.all([project.close(), service.close(), bench.close()]))
  await project.checkTypes('guide.ts', { lib: ['es2022'], types: ['node'] })

  const { signing_key } = await bench.subscribe()
  await bench.cause()
  await bench.service.dispatcher.runDue()
  const [delivery] = bench.receiver.requests
  assert.ok(delivery)
  const { headers } = delivery
  const body = delivery.body.toString()
  // The clock of the bench stands elsewhere than that of the guide's receiver.
  const meta = { event_id: headers['webhook-id'] ?? '', timestamp_s: Math.floor(Date.now() / 1_000) }
  const genuine = { headers: sign(Buffer.from(body), [{ label: '1', key: signing_key }], meta), body }
  const deliveries = [genuine, genuine, { ...genuine, body: `${body} ` }, { headers, body }]

  const printed = await project.node(['receiving.ts'], {
    NODE_EXTRA_CA_CERTS: service.ca_file,
    STINT_URL: service.origin,
    STINT_TOKEN: service.organization.token,
    SIGNING_KEY: signing_key,
    DELIVERIES: JSON.stringify(deliveries),
  })
  assert.deepEqual(printed.trimEnd().split('\n'), [
    `pending ${service.logged.flatMap((line) => JSON.parse(line).request_id ?? [])[1]}`,
    'as it was',
    'Platform engineering mira@example.org',
    '1 of 1, go on at null',
    '400 validation_failed /title',
    "[ 'team.deleted' ]",
    'api-token.created',
    ...['204', '204', '401', '401'],
  ])
})
