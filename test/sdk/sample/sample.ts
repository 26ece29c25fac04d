import {
  ConnectionError,
  type Contract,
  createStint,
  headersOf,
  ProblemError,
  type Stint,
  type StintEvent,
  type Team,
  verifyWebhook,
} from '@stint/sdk'

/** A program as an integrator writes it, outside of the repository; `package.test.ts` installs the package for it. */
export async function story(base_url: string, token: string): Promise<string[]> {
  const stint = createStint({ base_url, token: async () => token })
  const team: Team = await stint.teams.create({ name: 'Made by the package' })
  const renamed = await stint.teams.update({ team_id: team.id, name: 'Renamed' }, { if_match: team })
  const names: string[] = []
  for await (const { name } of stint.teams.list({ limit: 1 })) names.push(name)
  const refusal = await stint.teams.get({ team_id: 'nothing' }).catch((error: unknown) => error)
  const code = refusal instanceof ProblemError ? refusal.code : 'none'
  const { dry_run } = await stint.teams.delete({ team_id: team.id }, { dry_run: true })
  await stint.teams.delete({ team_id: team.id }, { confirm: dry_run.digest })
  const isVersioned = headersOf(renamed)?.has('etag') === true
  return [...names, code, String(isVersioned), String(dry_run.events.length)]
}

export function titleOf(event: StintEvent): string {
  switch (event.event_type) {
    case 'contract.created':
      return `${event.resource[0]?.worker_email} ${event.is_simulation}`
    case 'payment.completed':
      return event.resource.map(({ payment_id }) => payment_id).join()
    default:
      return event.event_type
  }
}

// Never run: the mistakes that must not compile, and the ways to write that must.
export async function typed(stint: Stint, contract: Contract): Promise<void> {
  // @ts-expect-error: the title is required
  await stint.teams.create({})
  // @ts-expect-error: there is no such field
  await stint.teams.create({ name: 'x', colour: 'red' })
  // @ts-expect-error: there is no such operation
  await stint.teams.explode({ team_id: 'x' })
  // @ts-expect-error: a word of no status, where the service would refuse it
  stint.contracts.list({ statuses: ['pendign'] })
  // @ts-expect-error: a list is not awaited
  ;(await stint.teams.list()).data
  // @ts-expect-error: only a rehearsal tells what would follow
  ;(await stint.teams.update({ team_id: 'x', name: 'y' })).dry_run
  // @ts-expect-error: a rehearsal by accident, or a change by accident
  await stint.teams.update({ team_id: 'x' }, { dry_run: Boolean(contract.id) })
  // @ts-expect-error: a removal has no key
  await stint.teams.delete({ team_id: 'x' }, { idempotency_key: 'x' })
  // @ts-expect-error: what is made has no version yet
  await stint.teams.create({ name: 'x' }, { if_match: 'y' })
  // @ts-expect-error: a list that cannot be followed
  stint.teams.list().follow()
  // @ts-expect-error: a removal answers nothing
  ;(await stint.teams.delete({ team_id: 'x' })).id
  // @ts-expect-error: it may be known already, and is null then
  ;(await stint.teams.get({ team_id: 'x' }, { if_none_match: 'y' })).name
  // @ts-expect-error: a change asks for the version that it has
  await stint.teams.update({ team_id: 'x' }, { if_none_match: 'y' })
  // @ts-expect-error: an amount is a decimal text, never a number
  await stint.contracts.update({ contract_id: 'x', compensation: { amount: 42 } })

  const rehearsed = await stint.teams.update({ team_id: 'x' }, { dry_run: true, if_match: '"v"' })
  const digest: string = rehearsed.dry_run.digest
  const name: string = rehearsed.name
  await stint.teams.delete({ team_id: name }, { confirm: digest })
  const known = await stint.teams.get({ team_id: 'x' })
  const team: Team = (await stint.teams.get({ team_id: 'x' }, { if_none_match: known })) ?? known
  const file: File = await stint.invoices.get_pdf({ invoice_id: 'x' })
  const total: number = (await stint.contracts.list().page()).total_count
  for await (const { id, data } of stint.events.list({ start: 'latest' }).follow('seen'))
    titleOf(await verified(id, data))
  // A word that a newer service has added is an answer like the others.
  if (contract.status === 'pending' || contract.status === 'of-tomorrow')
    throw new ConnectionError(name, { cause: [file, team], tries: total, idempotency_key: null })
}

function verified(id: string, body: object): Promise<StintEvent> {
  return verifyWebhook(JSON.stringify(body), new Headers({ 'webhook-id': id }), ['whsec_old', 'whsec_new'])
}
