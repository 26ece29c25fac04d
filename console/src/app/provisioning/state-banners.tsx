import { Banner } from '../../components/banner.tsx'
import { Time } from '../../components/time.tsx'
import { countOf } from '../../lib/format.ts'
import type { Provisioning } from '../../lib/nouns.ts'
import { Link } from '../../lib/router.tsx'

const soon_ms = 14 * 86_400_000

/** Words before anything else: provisioning never began, fails, is about to end, or hangs on somebody who left. */
export function StateBanners({ provisioning }: { provisioning: Provisioning }) {
  return (
    <div className="stack banners">
      <Course provisioning={provisioning} />
      {provisioning.credentials.map((credential) => (
        <Warning key={credential.id} credential={credential} />
      ))}
    </div>
  )
}

function Course({
  provisioning: { credentials, last_success_at, last_failure_at, last_day, people },
}: {
  provisioning: Provisioning
}) {
  const requests = (
    <p>
      <Link to="/provisioning?tab=requests">See what was refused, and what to do</Link>
    </p>
  )
  if (last_failure_at !== null && (last_success_at === null || last_failure_at > last_success_at)) {
    return (
      <Banner tone="error" title="The last request was refused">
        <p>
          That was <Time at={last_failure_at} />; the last one that succeeded,{' '}
          <Time at={last_success_at} none="never" />.
        </p>
        {requests}
      </Banner>
    )
  }
  if (last_success_at === null) {
    return (
      <Banner tone="info" title={people.linked > 0 ? 'Not called for 30 days' : 'Never called'}>
        <p>
          {credentials.length === 0 ? 'Make a token, then follow' : 'Follow'} the{' '}
          <Link to="/provisioning">steps of your identity provider</Link>. Its first request shows here.
        </p>
      </Banner>
    )
  }
  if (last_day.failed === 0) return null
  return (
    <Banner
      tone="warning"
      title={`${countOf(last_day.failed, 'request')} of the last 24 hours ${last_day.failed === 1 ? 'was' : 'were'} refused`}
    >
      {requests}
    </Banner>
  )
}

function Warning({ credential }: { credential: Provisioning['credentials'][number] }) {
  const { kind, name, expires_at, maker_left, created_by } = credential
  const left_ms = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - Date.now()
  const to = kind === 'api_token' ? '/tokens?look=organization' : '/oauth'
  if (left_ms < soon_ms) {
    return (
      <Banner
        tone={left_ms <= 0 ? 'error' : 'warning'}
        title={`${name} ${left_ms <= 0 ? 'has ended' : 'is about to end'}`}
      >
        <p>
          {left_ms <= 0 ? 'It ended' : 'It ends'} <Time at={expires_at} />.{' '}
          {left_ms <= 0
            ? 'Make another, and give it to your identity provider.'
            : 'Rotate it, and give the new value to your identity provider.'}{' '}
          <Link to={to}>To the credentials</Link>
        </p>
      </Banner>
    )
  }
  if (!maker_left) return null
  return (
    <Banner tone="warning" title={`${name} was made by somebody who is no member any more`}>
      <p>
        It works on, so provisioning goes on. If <bdi>{created_by.name}</bdi> may have kept a copy, rotate it.{' '}
        <Link to={to}>To the credentials</Link>
      </p>
    </Banner>
  )
}
