import { useState } from 'react'
import type { Organization } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { currencyOptions, timeZoneOptions } from '../../lib/choices.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import { AsCurl } from '../as-curl.tsx'
import { PageTitle } from '../frame.tsx'
import { useMe } from '../me.tsx'
import '../../styles/administration.css'

/** The settings that all members share; those who may not change them see them. */
export function SettingsPage() {
  const { can, membership } = useMe()
  const { organization_id } = membership
  const { value, error, reload, set } = useAnswer(stint.organizations.get, { organization_id })
  const mayChange = can('organizations:write')
  return (
    <>
      <PageTitle
        title="Organization settings"
        lead={
          mayChange ? (
            <p>Defaults of what is made from now on; what stands already keeps what it has.</p>
          ) : (
            <p>Owners and admins change them; you are {membership.role}.</p>
          )
        }
      />
      {error && !value ? <Failed error={error} reload={reload} /> : null}
      {!value && !error ? <Skeleton rows={6} /> : null}
      {value ? mayChange ? <SettingsForm organization={value} onSaved={set} /> : <Shown organization={value} /> : null}
      <div className="foot-actions">
        <AsCurl method="GET" path={`/organizations/${organization_id}`} />
      </div>
    </>
  )
}

const factors = { optional: 'As everybody likes', required: 'Everybody needs one' } as const
const approvals = { none: 'By one person', second_person: 'By a second person' } as const

function Shown({ organization: { name, legal_name, default_currency, timezone, settings } }: SettingsProps) {
  return (
    <Facts>
      <Fact name="Name">
        <bdi>{name}</bdi>
      </Fact>
      <Fact name="Legal name">{legal_name ? <bdi>{legal_name}</bdi> : <span className="none">–</span>}</Fact>
      <Fact name="Currency">{default_currency}</Fact>
      <Fact name="Time zone">{timezone}</Fact>
      {settings ? (
        <>
          <Fact name="Payments">{settings.payment_approval === 'none' ? approvals.none : approvals.second_person}</Fact>
          <Fact name="Second factor">
            {settings.second_factor === 'required' ? factors.required : factors.optional}
          </Fact>
          <Fact name="Numbers">
            {settings.invoice_prefix}-…, {settings.payment_prefix}-…
          </Fact>
          <Fact name="Final settlement">{settings.final_settlement_days} days after the end</Fact>
        </>
      ) : null}
    </Facts>
  )
}

interface SettingsProps {
  organization: Organization
}

const pointers = [
  ...['/name', '/legal_name', '/default_currency', '/timezone', '/settings/invoice_prefix', '/settings/payment_prefix'],
  '/settings/final_settlement_days',
]

/** Each saving is a request of its own: the same values twice change nothing. */
function SettingsForm({ organization, onSaved }: SettingsProps & { onSaved(organization: Organization): void }) {
  const { id, settings } = organization
  const [approval, setApproval] = useState<keyof typeof approvals>(
    settings?.payment_approval === 'second_person' ? 'second_person' : 'none',
  )
  const [factor, setFactor] = useState<keyof typeof factors>(
    settings?.second_factor === 'required' ? 'required' : 'optional',
  )
  const [isSaved, setSaved] = useState(false)
  const currencies = useAnswer(allCurrencies, {})
  const { submit, isBusy, error } = useSubmit(async (form) => {
    setSaved(false)
    const saved = await stint.organizations.update({
      organization_id: id,
      name: textOf(form, 'name'),
      legal_name: textOf(form, 'legal_name') || null,
      default_currency: textOf(form, 'default_currency'),
      timezone: textOf(form, 'timezone'),
      settings: {
        payment_approval: approval,
        second_factor: factor,
        invoice_prefix: textOf(form, 'invoice_prefix'),
        payment_prefix: textOf(form, 'payment_prefix'),
        final_settlement_days: Number(textOf(form, 'final_settlement_days')),
      },
    })
    onSaved(saved)
    setSaved(true)
  })
  if (!currencies.value) {
    return currencies.error ? <Failed error={currencies.error} reload={currencies.reload} /> : <Skeleton rows={6} />
  }
  return (
    <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit} onChange={() => setSaved(false)}>
      {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
      <div role="status">{isSaved ? <Banner tone="info" title="Saved." /> : null}</div>
      <Basics organization={organization} currencies={currencies.value} error={error} />
      <Radios
        name="payment_approval"
        legend="A payment is released"
        value={approval}
        onChange={setApproval}
        options={[
          { value: 'none', words: approvals.none, hint: 'Who makes it starts it.' },
          { value: 'second_person', words: approvals.second_person, hint: 'Never by the one who made it.' },
        ]}
      />
      <Radios
        name="second_factor"
        legend="Second factor at the sign-in"
        value={factor}
        onChange={setFactor}
        options={[
          { value: 'optional', words: factors.optional },
          {
            value: 'required',
            words: factors.required,
            hint: 'Who signed in without one, you too, is asked to set it up before the next call.',
          },
        ]}
      />
      <Numbers organization={organization} error={error} />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Save changes
        </Button>
      </div>
    </PageForm>
  )
}

interface PartProps extends SettingsProps {
  error: ApiError | null
}

function Basics({ organization, currencies, error }: PartProps & { currencies: readonly string[] }) {
  const { name, legal_name, default_currency, timezone } = organization
  const zones = timeZoneOptions()
  const isKnown = zones.some(({ value }) => value === timezone)
  return (
    <>
      <div className="pair">
        <TextField
          {...{ label: 'Name', name: 'name', required: true, maxLength: 200 }}
          defaultValue={name}
          fault={faultAt(error, '/name')}
        />
        <TextField
          {...{ label: 'Legal name', name: 'legal_name', maxLength: 200 }}
          defaultValue={legal_name ?? ''}
          fault={faultAt(error, '/legal_name')}
        />
      </div>
      <div className="pair">
        <SelectField
          {...{ label: 'Currency', name: 'default_currency', hint: 'Offered first where money is entered.' }}
          defaultValue={default_currency}
          options={currencyOptions(currencies)}
          fault={faultAt(error, '/default_currency')}
        />
        <SelectField
          {...{ label: 'Time zone', name: 'timezone', hint: 'Days of business begin and end in it.' }}
          defaultValue={timezone}
          options={isKnown ? zones : [{ value: timezone, words: timezone }, ...zones]}
          fault={faultAt(error, '/timezone')}
        />
      </div>
    </>
  )
}

function Numbers({ organization: { settings }, error }: PartProps) {
  return (
    <>
      <div className="pair">
        <TextField
          {...{ ...prefix, label: 'Invoice numbers begin with', name: 'invoice_prefix' }}
          defaultValue={settings?.invoice_prefix}
          fault={faultAt(error, '/settings/invoice_prefix')}
        />
        <TextField
          {...{ ...prefix, label: 'Payment numbers begin with', name: 'payment_prefix' }}
          defaultValue={settings?.payment_prefix}
          fault={faultAt(error, '/settings/payment_prefix')}
        />
      </div>
      <TextField
        {...{ label: 'Days until the final settlement', name: 'final_settlement_days', type: 'number', required: true }}
        {...{ min: 0, max: 90 }}
        hint="After a contract has ended, what is still open is settled by itself."
        defaultValue={settings?.final_settlement_days}
        fault={faultAt(error, '/settings/final_settlement_days')}
      />
    </>
  )
}

const prefix = {
  required: true,
  maxLength: 10,
  pattern: '[A-Z0-9]{1,10}',
  title: 'Capitals and digits, at most ten',
  hint: 'Capitals and digits, for numbers given from now on.',
} as const

/** There are more than one page of them. */
async function allCurrencies(): Promise<string[]> {
  const found: string[] = []
  for await (const { code } of stint.lookups.currencies({ limit: 100 })) found.push(code)
  return found
}
