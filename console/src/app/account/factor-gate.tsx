import mark from '../../assets/mark.svg'
import { SignedInAs } from '../../components/signed-in-as.tsx'
import { useMe } from '../me.tsx'
import { OrganizationSwitcher } from '../organization-switcher.tsx'
import { AccountPage } from './account-page.tsx'

/** The whole console for who lacks the second factor that the organization demands: the page to set one up on. */
export function FactorGate() {
  const { email } = useMe().session
  return (
    <div className="page wide">
      <header className="top">
        <span className="product">
          <img src={mark} alt="" width="28" height="28" />
          <span>Stint</span>
        </span>
        <OrganizationSwitcher />
        <SignedInAs email={email} />
      </header>
      <main id="main">
        <AccountPage />
      </main>
    </div>
  )
}
