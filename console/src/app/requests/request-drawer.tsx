import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { durationOf, prettyJson } from '../../lib/format.ts'
import { entryOf, type WholeRequest } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { RequestBadge } from './request-badge.tsx'

/** All that is known of one request; secrets and sensitive data were never kept. */
export function RequestDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { value, error, reload } = useAnswer(stint.request_logs.get, { request_log_id: id })
  return (
    <Dialog title="Request" look="drawer" onClose={onClose}>
      {error ? <Failed error={error} reload={reload} /> : null}
      {value ? <Evidence request={value} /> : error ? null : <Skeleton rows={6} />}
    </Dialog>
  )
}

function Evidence({ request }: { request: WholeRequest }) {
  const { operation, request_id, actor, ip, occurred_at, duration_ms, scopes, required_scopes, missing_scopes } =
    request
  const headers = Object.entries(request.request_headers)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
  return (
    <div className="stack">
      <p className="evidence-title">
        <code>{operation}</code> <RequestBadge request={request} />
      </p>
      {missing_scopes.length > 0 ? (
        <p>
          The credential lacks a scope: it needs <Scopes names={missing_scopes} />. Make a token that has it, or ask the
          app to connect again.
        </p>
      ) : null}
      {request.hint ? <p>{request.hint}</p> : null}
      <Facts>
        <Fact name="Asked">{request.surface === 'mcp' ? 'Tool call' : <code>{addressOf(request)}</code>}</Fact>
        <Fact name="Request-Id">
          <code>{request_id}</code> <CopyButton text={request_id} what="request id" />
        </Fact>
        <Fact name="By">
          <bdi>{actor.name}</bdi>
        </Fact>
        <Fact name="From">{ip ?? 'unknown'}</Fact>
        <Fact name="When">
          <Moment at={occurred_at} isExact /> · took {durationOf(duration_ms)}
        </Fact>
        <Fact name="Scopes had">{scopes.length > 0 ? <Scopes names={scopes.toSorted()} /> : 'none'}</Fact>
        <Fact name="Scopes needed">{required_scopes.length > 0 ? <Scopes names={required_scopes} /> : 'none'}</Fact>
      </Facts>
      {request.surface === 'rest' ? <p>{<Copied request={request} />}</p> : null}
      <section>
        <h3>Request</h3>
        <Code text={headers.join('\n')} what="request headers" wraps />
        {request.request_body ? (
          <Code text={prettyJson(request.request_body)} what="request body" />
        ) : (
          <p className="hint">{entryOf(bodyWords, request.request_body_state, '')}</p>
        )}
      </section>
      <section>
        <h3>Answer</h3>
        {request.response_body ? (
          <Code text={prettyJson(request.response_body)} what="answer" wraps />
        ) : (
          <p className="hint">
            {request.surface === 'scim'
              ? 'Answers of provisioning are not kept: they name people.'
              : 'The body of a success is not kept.'}
          </p>
        )}
      </section>
    </div>
  )
}

const bodyWords: Readonly<Record<string, string>> = {
  none: 'Without a body.',
  too_large: 'The body is over 16 KiB and was not kept.',
  not_kept: 'The body was not kept.',
  withheld: 'The body is shown to those who may make this call themselves.',
}

const addressOf = ({ method, path, query }: WholeRequest) => `${method} ${path}${query ? `?${query}` : ''}`

function Scopes({ names }: { names: readonly string[] }) {
  return (
    <span>
      {names.map((name, place) => (
        <span key={name}>
          {place > 0 ? ', ' : ''}
          <code>{name}</code>
        </span>
      ))}
    </span>
  )
}

/** The same call again: with `$STINT_TOKEN` for the credential, and the values that were not kept to be filled in. */
function Copied({ request: { method, path, query, request_body } }: { request: WholeRequest }) {
  const below = path.replace(/^\/rest\/v2/, '') + (query ? `?${query}` : '')
  const body = request_body ? (JSON.parse(request_body) as unknown) : undefined
  return <AsCurl method={method} path={below} {...(body !== undefined && { body })} />
}
