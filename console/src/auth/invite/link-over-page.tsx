import { Banner } from '../../components/banner.tsx'
import { Page } from '../../components/page.tsx'
import type { ApiError } from '../../lib/api.ts'
import { hasSecret } from './invitation.ts'

const again = 'Ask whoever invited you for a new link.'

/** The next step, by why the link is over. */
const next: Readonly<Record<string, string>> = {
  used: 'If it was you, sign in. If it was not, tell whoever invited you at once: somebody else may have your place.',
  replaced: 'Use the newest link that you were given.',
  revoked: again,
  expired: again,
  over: 'It was settled or withdrawn meanwhile. If you have a login, sign in to see how it stands.',
  blocked: 'Ask whoever invited you.',
}

export function LinkOverPage({ error }: { error: ApiError }) {
  const isWhole = hasSecret()
  const reason = error.reason ?? 'unknown'
  return (
    <Page title="This invitation cannot be used">
      <Banner tone="warning">
        <p>{isWhole ? error.message : 'The address is not complete: the part behind # is missing.'}</p>
      </Banner>
      <p>
        {isWhole ? (next[reason] ?? `Open the link exactly as you were given it. ${again}`) : 'Open the whole link.'}
      </p>
      {reason === 'used' || reason === 'over' ? (
        <p>
          <a href="/console/sign-in">Sign in</a>
        </p>
      ) : null}
    </Page>
  )
}
