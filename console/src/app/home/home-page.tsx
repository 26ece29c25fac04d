import { Code } from '../../components/code.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { countOf } from '../../lib/format.ts'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import { Attention, attentionOf } from './attention.tsx'
import { Degraded } from './degraded.tsx'
import { Figure } from './figure.tsx'
import { FirstContract, useBeginning } from './first-contract.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LastDay } from './last-day.tsx'
import { type Overview, useOverview } from './use-overview.ts'
import { useWaiting } from './use-waiting.ts'

/** Shows first what needs somebody, then what there is. A new organization sees its first steps instead. */
export function HomePage() {
  const { base_url, can } = useMe()
  const overview = useOverview()
  const waiting = useWaiting()
  const beginning = useBeginning()
  const { isNew, error, reload } = overview
  const isLoading = overview.isLoading || waiting.isLoading || beginning.isLoading
  const items = attentionOf(overview, waiting.items)
  return (
    <>
      <PageTitle title="Home" lead={<p>{isLoading ? ' ' : leadOf(items.length, beginning.isNew, isNew)}</p>} />
      {error ? <Failed error={error} reload={reload} /> : null}
      {isLoading && !error ? <Skeleton rows={4} /> : null}
      {isLoading ? null : (
        <>
          <Degraded overview={overview} />
          <Attention items={items} />
          {beginning.isNew ? <FirstContract beginning={beginning} /> : null}
          {isNew ? <FirstSteps overview={overview} /> : null}
          <Figures overview={overview} />
          {overview.figures && !isNew ? <LastDay figures={overview.figures} /> : null}
          {can('webhooks:write') ? (
            <section className="panel">
              <h2>Connect</h2>
              <p>
                The REST API answers at the address below, with a token; the <a href="/docs">reference</a> names every
                operation. An agent connects to the tool server and asks for your permission on a page of this console.
              </p>
              <h3>REST API</h3>
              <Code text={base_url} what="address of the REST API" wraps />
              <h3>Tool server</h3>
              <Code text={`${new URL(base_url).origin}/mcp`} what="address of the tool server" wraps />
            </section>
          ) : null}
        </>
      )}
    </>
  )
}

function leadOf(items: number, isWithoutContract: boolean, isWithoutEvent: boolean): string {
  if (items > 0) return `${countOf(items, 'thing')} need${items === 1 ? 's' : ''} your attention.`
  if (isWithoutContract && isWithoutEvent) return 'Two ways to begin: with people and a contract, or with a program.'
  if (isWithoutContract) return 'Three steps to your first contract.'
  return isWithoutEvent ? 'Four steps to your first event.' : 'Nothing needs your attention.'
}

function Figures({ overview: { webhooks, tokens } }: { overview: Overview }) {
  const { can } = useMe()
  const active = webhooks?.data.filter(({ status }) => status === 'active') ?? []
  const waiting = webhooks?.data.reduce((sum, { backlog }) => sum + backlog.pending, 0) ?? 0
  const held = webhooks?.data.reduce((sum, { backlog }) => sum + backlog.held, 0) ?? 0
  const live = tokens?.data.filter(({ revoked_at }) => revoked_at === null).length ?? 0
  // Four noughts tell nobody anything.
  if ((webhooks?.data.length ?? 0) + live === 0) return null
  return (
    <ul className="figures">
      {webhooks ? (
        <>
          <Figure to="/webhooks" figure={active.length} words="active webhooks" />
          <Figure to="/webhooks" figure={waiting} words="deliveries under way" />
          <Figure to="/webhooks" figure={held} words="deliveries held" tone={held > 0 ? 'warning' : undefined} />
        </>
      ) : null}
      {tokens && (live > 0 || can('webhooks:write')) ? <Figure to="/tokens" figure={live} words="API tokens" /> : null}
    </ul>
  )
}
