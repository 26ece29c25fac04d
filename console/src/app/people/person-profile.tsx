import { type ReactNode, useState } from 'react'
import type { BankAccount, Person } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Day } from '../../components/date.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { Time } from '../../components/time.tsx'
import { Withheld } from '../../components/withheld.tsx'
import { accountWords, countOf, wordsOf } from '../../lib/format.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { AsCurl } from '../as-curl.tsx'
import { CustomFacts } from '../custom-facts.tsx'
import { countryName } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { BankAccountDialog } from './bank-account-dialog.tsx'
import { workerTypeWords } from './words.tsx'

type Opened = 'bank' | 'remove-bank' | 'block' | 'remove' | 'erase'

/** All that is kept of a person, in the groups in which people look for it. */
export function PersonProfile({ person }: { person: Person }) {
  const { can } = useMe()
  const [open, setOpen] = useState<Opened | null>(null)
  const mayWrite = can('people:write')
  const close = () => setOpen(null)
  return (
    <section aria-label="Profile">
      <div className="panels">
        <div>
          <Contact person={person} />
          <Identity person={person} />
          <Bank person={person} mayWrite={mayWrite} open={setOpen} />
        </div>
        <div>
          <Work person={person} />
          <CustomFields person={person} />
        </div>
      </div>
      <p className="actions">
        <CopyButton text={person.id} label="Copy id" what="id of the person" />
        <AsCurl method="GET" path={`/people/${person.id}`} />
        {mayWrite ? (
          <DownloadButton size="small" read={() => personalData(person)}>
            Export personal data
          </DownloadButton>
        ) : null}
      </p>
      {mayWrite ? <Ends person={person} open={setOpen} /> : null}
      <Dialogs person={person} open={open} close={close} />
    </section>
  )
}

/** Everything about a person in one file, for whoever asks what is kept. */
async function personalData({ id: person_id }: Person): Promise<File> {
  const text = JSON.stringify(await stint.people.export({ person_id }), null, 2)
  return new File([text], `personal-data-${person_id}.json`, { type: 'application/json' })
}

const None = () => <span className="none">–</span>
const shown = (value: ReactNode) => value || <None />

/** The value, or that the role does not see it. */
function useSensitive(category: string) {
  const isSeen = useMe().sees(category)
  return (value: ReactNode) => (isSeen ? shown(value) : <Withheld />)
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Contact({ person }: { person: Person }) {
  const home = useSensitive('home_address')
  const { home_address: address, emergency_contact: emergency } = person
  return (
    <Panel title="Name and contact">
      <Facts>
        <Fact name="Name">
          <bdi>
            {person.first_name} {person.last_name}
          </bdi>
          {person.preferred_name ? <span className="hint">called {person.preferred_name}</span> : null}
        </Fact>
        <Fact name="Work e-mail">{shown(person.email && <bdi>{person.email}</bdi>)}</Fact>
        <Fact name="Private e-mail">{home(person.personal_email && <bdi>{person.personal_email}</bdi>)}</Fact>
        <Fact name="Phone">{home(person.phone)}</Fact>
        <Fact name="Home address">
          {home(
            address && (
              <address>
                {[
                  ...[address.line_1, address.line_2, [address.postal_code, address.city].filter(Boolean).join(' ')],
                  ...[address.region, countryName(address.country)],
                ]
                  .filter(Boolean)
                  .map((line) => (
                    <span key={line}>{line}</span>
                  ))}
              </address>
            ),
          )}
        </Fact>
        <Fact name="In an emergency">
          {home(
            emergency && `${emergency.name}${emergency.relation ? ` (${emergency.relation})` : ''}, ${emergency.phone}`,
          )}
        </Fact>
      </Facts>
    </Panel>
  )
}

function Work({ person }: { person: Person }) {
  const { manager, direct_reports_count: reports } = person
  return (
    <Panel title="Work">
      <Facts>
        <Fact name="Job title">{shown(person.job_title)}</Fact>
        <Fact name="Kind">{workerTypeWords(person.worker_type)}</Fact>
        <Fact name="Since">
          <Day value={person.start_date} />
        </Fact>
        <Fact name="Department">{shown(person.department?.name)}</Fact>
        <Fact name="Manager">{manager ? <Link to={`/people/${manager.id}`}>{manager.name}</Link> : <None />}</Fact>
        {reports > 0 ? (
          <Fact name="Reports">
            <Link to={`/people?manager=${person.id}`}>{countOf(reports, 'person')}</Link>
          </Fact>
        ) : null}
        <Fact name="Teams">{shown(person.teams.map(({ name }) => name).join(', '))}</Fact>
        <Fact name="Location">{shown(person.working_location?.name)}</Fact>
        <Fact name="Legal entity">{shown(person.legal_entity?.name)}</Fact>
        <Fact name="Country">{shown(person.country && countryName(person.country))}</Fact>
        <Fact name="Time zone">{shown(person.timezone)}</Fact>
        <Fact name="External id">{shown(person.external_id && <code>{person.external_id}</code>)}</Fact>
        <Fact name="Added">
          <Moment at={person.created_at} />
        </Fact>
        {person.provisioned_at ? (
          <Fact name="Provisioning">
            Kept by the identity provider, last sync <Time at={person.provisioned_at} />
          </Fact>
        ) : null}
      </Facts>
    </Panel>
  )
}

function Identity({ person }: { person: Person }) {
  const own = useSensitive('personal_identifiers')
  return (
    <Panel title="Identity">
      <Facts>
        <Fact name="Date of birth">{own(person.date_of_birth && <Day value={person.date_of_birth} />)}</Fact>
        <Fact name="Nationality">{own(person.nationality && countryName(person.nationality))}</Fact>
        <Fact name="VAT id">{own(person.vat_id)}</Fact>
        <Fact name="Documents">
          {own(
            person.government_ids &&
              person.government_ids.length > 0 &&
              person.government_ids.map(({ type, country, number }) => (
                <span key={`${type} ${number}`}>
                  {wordsOf(type)} {number} ({country})
                </span>
              )),
          )}
        </Fact>
      </Facts>
    </Panel>
  )
}

interface BankProps {
  person: Person
  mayWrite: boolean
  open(dialog: Opened): void
}

function Bank({ person: { bank_account: account }, mayWrite, open }: BankProps) {
  const { sees } = useMe()
  return (
    <Panel title="Bank account">
      {!sees('bank_details') ? (
        <p>
          <Withheld />
        </p>
      ) : account ? (
        <BankFacts account={account} />
      ) : (
        <p className="hint">None yet: payments have nowhere to go. The worker can enter it too.</p>
      )}
      {mayWrite && sees('bank_details') ? (
        <p className="actions">
          <Button look="secondary" size="small" onClick={() => open('bank')}>
            {account ? 'Replace…' : 'Add bank account…'}
          </Button>
          {account ? (
            <Button look="secondary" size="small" onClick={() => open('remove-bank')}>
              Remove<span className="only-read"> bank account</span>
            </Button>
          ) : null}
        </p>
      ) : null}
    </Panel>
  )
}

function BankFacts({ account }: { account: BankAccount }) {
  return (
    <Facts>
      <Fact name="Holder">
        <bdi>{account.holder_name}</bdi>
      </Fact>
      {account.iban ? <Fact name="IBAN">{accountWords(account)}</Fact> : null}
      {account.account_number ? <Fact name="Account number">{account.account_number}</Fact> : null}
      {account.routing_code ? <Fact name="Routing code">{account.routing_code}</Fact> : null}
      {account.bic ? <Fact name="BIC">{account.bic}</Fact> : null}
      {account.bank_name ? <Fact name="Bank">{account.bank_name}</Fact> : null}
      <Fact name="Country">{countryName(account.country)}</Fact>
      <Fact name="Currency">{account.currency}</Fact>
    </Facts>
  )
}

/** Fields that the organization has added, by their names. */
function CustomFields({ person: { custom_fields } }: { person: Person }) {
  const hasAny = useMe().can('organizations:read') && Object.keys(custom_fields).length > 0
  if (!hasAny) return null
  return (
    <Panel title="Own fields">
      <Facts>
        <CustomFacts entity="person" values={custom_fields} />
      </Facts>
    </Panel>
  )
}

/** Taking away: of the access alone, or of the whole person. Each says why it is off where it is. */
function Ends({ person, open }: { person: Person; open(dialog: Opened): void }) {
  const isFree = person.access === 'enabled'
  const held = useHeld(person)
  return (
    <div className="danger-zone">
      <div>
        <h2>Block access</h2>
        <p>
          {isFree
            ? 'Ends all sessions, tokens and connected apps of the person at once.'
            : person.access === 'disabled'
              ? 'The access is blocked. Only provisioning gives it back.'
              : 'The person has no access to block: nobody has signed in with an own login yet.'}
        </p>
        <Button look="secondary" disabled={!isFree} onClick={() => open('block')}>
          Block access…
        </Button>
      </div>
      <div>
        <h2>Remove</h2>
        <p>{held ?? 'Past contracts, timesheets and invoices stay readable.'}</p>
        <Button look="danger" disabled={held !== null} onClick={() => open('remove')}>
          Remove person…
        </Button>
      </div>
      <div>
        <h2>Erase personal data</h2>
        <p>
          {held === null
            ? 'Removes the person, and for good all that is known of it. Amounts stay.'
            : 'Not before the person can be removed.'}
        </p>
        <Button look="danger" disabled={held !== null} onClick={() => open('erase')}>
          Erase personal data…
        </Button>
      </div>
    </div>
  )
}

/** Why a person cannot be removed now, as far as it can be known before; null where nothing is in the way. */
function useHeld({ id, direct_reports_count: reports }: Person): string | null {
  const { can } = useMe()
  const open = { worker_id: id, statuses: ['pending', 'active'] as const, limit: 1 }
  const { value } = useAnswer(firstPage(stint.contracts.list), can('contracts:read') ? open : null)
  const contracts = value?.total_count ?? 0
  if (contracts > 0) {
    return `Not while there is a pending or active contract (${contracts} now): end it first. To shut the person out at once, block the access.`
  }
  if (reports > 0)
    return `Not while ${reports === 1 ? 'somebody reports' : `${reports} people report`} to this person: move them first.`
  return null
}

function Dialogs({ person, open, close }: { person: Person; open: Opened | null; close(): void }) {
  const { id: person_id, full_name } = person
  if (open === 'bank') return <BankAccountDialog person={person} onClose={close} />
  if (open === 'remove-bank') {
    return (
      <ConfirmDialog
        title="Remove the bank account?"
        action="Remove bank account"
        onClose={close}
        onConfirm={async () => void (await stint.people.remove_bank_account({ person_id }))}
      >
        <p>Later payments to {full_name} have no account to go to.</p>
      </ConfirmDialog>
    )
  }
  if (open === 'block') {
    return (
      <ConfirmDialog
        title={`Block the access of ${full_name}?`}
        action="Block access"
        onClose={close}
        onConfirm={async () => void (await stint.people.block_access({ person_id }))}
      >
        <p>Whatever acts for this person is refused from now on. Contracts and pay go on as they are.</p>
      </ConfirmDialog>
    )
  }
  if (open === 'remove') {
    return (
      <ConfirmDialog
        title={`Remove ${full_name}?`}
        action="Remove person"
        typed={full_name}
        onClose={close}
        onConfirm={async () => {
          await stint.people.delete({ person_id })
          goTo('/people')
        }}
      >
        <p>The person leaves the lists. Past contracts, timesheets and invoices stay readable.</p>
      </ConfirmDialog>
    )
  }
  if (open === 'erase') {
    return (
      <ConfirmDialog
        title={`Erase the personal data of ${full_name}?`}
        action="Erase personal data"
        typed={full_name}
        onClose={close}
        onConfirm={async () => {
          await stint.people.erase({ person_id })
          goTo('/people')
        }}
      >
        <p>
          Nobody can bring them back. Contracts and amounts stay under the name “Erased person”. Invoices stay as they
          were issued, and the audit log says who did what.
        </p>
      </ConfirmDialog>
    )
  }
  return null
}
