import { useState } from 'react'
import type { Person } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { countryName } from '../../app/lookup-field.tsx'
import { BankAccountDialog } from '../../app/people/bank-account-dialog.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { stint } from '../../lib/service.ts'
import { useProfile } from './use-profile.ts'

/** The account that the worker's money goes to. */
export function PayoutPage() {
  const { value: person, error, reload, set } = useProfile()
  const [isOpen, setOpen] = useState(false)
  const [isSaved, setSaved] = useState(false)
  return (
    <>
      <PageTitle
        title="Payout account"
        lead={<p>Where your money goes. You are asked for your password before it changes.</p>}
        actions={
          person ? (
            <Button onClick={() => setOpen(true)}>
              {person.bank_account ? 'Replace the account' : 'Add an account'}
            </Button>
          ) : null
        }
      />
      <div role="status">{isSaved ? <Banner tone="info" title="Saved. The next payment goes there." /> : null}</div>
      {person ? <Account person={person} /> : error ? <Failed error={error} reload={reload} /> : <Skeleton rows={4} />}
      {person && isOpen ? (
        <BankAccountDialog
          person={person}
          save={async (account) => {
            set(await stint.worker.set_bank_account(account))
            setSaved(true)
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  )
}

function Account({ person: { bank_account } }: { person: Person }) {
  if (!bank_account) {
    return (
      <div className="empty">
        <h2>No account yet</h2>
        <p>Without one you cannot be paid by transfer.</p>
      </div>
    )
  }
  const { holder_name, iban, account_number, routing_code, bic, bank_name, country, currency } = bank_account
  return (
    <Facts>
      <Fact name="Account holder">
        <bdi>{holder_name}</bdi>
      </Fact>
      {iban ? <Fact name="IBAN">{iban.replaceAll(/(.{4})(?=.)/g, '$1 ')}</Fact> : null}
      {account_number ? <Fact name="Account number">{account_number}</Fact> : null}
      {routing_code ? <Fact name="Routing code">{routing_code}</Fact> : null}
      {bic ? <Fact name="BIC">{bic}</Fact> : null}
      {bank_name ? (
        <Fact name="Bank">
          <bdi>{bank_name}</bdi>
        </Fact>
      ) : null}
      <Fact name="Country">{countryName(country)}</Fact>
      <Fact name="Currency">{currency}</Fact>
    </Facts>
  )
}
