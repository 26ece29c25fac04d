import { Banner } from '../../components/banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAnswer } from '../../lib/use-answer.ts'
import '../../styles/account.css'
import { PageTitle } from '../frame.tsx'
import { account, lacksFactor } from './account.ts'
import { PasskeysPanel } from './passkeys-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { PreferencesPanel } from './preferences-panel.tsx'
import { RecoveryPanel } from './recovery-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { TotpPanel } from './totp-panel.tsx'

const nothing = {}

/** The own account: the ways into it, where it is signed in, and how the console looks in this browser. */
export function AccountPage() {
  const { value, error, reload } = useAnswer(account.load, nothing)
  const parts = value && { account: value, reload }
  return (
    <>
      <PageTitle
        title="Your account"
        lead={
          value ? (
            <p>
              <bdi>{value.name}</bdi>, <bdi>{value.email}</bdi>
            </p>
          ) : null
        }
      />
      {value && lacksFactor(value) ? (
        <Banner tone="warning" title={`${value.demanded_by.join(' and ')} demands a second factor.`}>
          <p>
            Set up an authenticator app or a passkey below: a password alone opens nothing here. If you have one of
            them, sign out and sign in with it.
          </p>
        </Banner>
      ) : null}
      {error && !value ? <Failed error={error} reload={reload} /> : null}
      {parts ? (
        <>
          <PasskeysPanel {...parts} />
          <TotpPanel {...parts} />
          <RecoveryPanel {...parts} />
          <PasswordPanel {...parts} />
          <SessionsPanel {...parts} />
        </>
      ) : error ? null : (
        <Skeleton rows={6} />
      )}
      <PreferencesPanel />
    </>
  )
}
