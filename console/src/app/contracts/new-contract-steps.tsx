import { type ReactNode, useState } from 'react'
import { Radios } from '../../components/choice-list.tsx'
import type { Choice } from '../../components/combobox.tsx'
import { DateField } from '../../components/date-field.tsx'
import { decimal_field } from '../../components/decimal-field.ts'
import { Failed } from '../../components/list.tsx'
import { SelectField } from '../../components/select-field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { LookupField } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { PersonPicker, SimplePicker } from '../pickers.tsx'
import { inContract, PayDetails, PayFields, termsPointers, WorkFields } from './terms-fields.tsx'
import type { Values } from './values.ts'
import { type ContractType, contract_types } from './words.ts'

interface StepProps {
  values: Values
  error: ApiError | null
  onChange(values: Values): void
}

const worker_fields = ['first_name', 'last_name', 'email', 'country']
const place_fields = [
  '/worker_id',
  '/title',
  '/team_id',
  '/legal_entity_id',
  '/country',
  '/timezone',
  '/external_id',
  '/tax/vat_rate',
]

/** Of every field of the steps that shows a fault itself. */
export const wizard_pointers = [
  ...worker_fields.map((name) => `/worker/${name}`),
  ...place_fields,
  ...termsPointers(inContract),
]

export function TypeStep({ values, onChange }: Omit<StepProps, 'error'>) {
  return (
    <Radios
      name="type-choice"
      legend="How is the work paid?"
      // Nothing is chosen at first; the cast holds because the value is only compared.
      value={(values.type ?? '') as ContractType}
      options={contract_types}
      onChange={(type) => onChange({ type })}
    />
  )
}

export function PersonStep({ values, error, onChange }: StepProps) {
  const isNew = values.who === 'new'
  const [before] = useState(values.worker_id)
  const { value: known, error: unknown } = useAnswer(stint.people.get, before ? { person_id: before } : null)
  const fault = (field: string) => faultAt(error, `/worker/${field}`)
  const chosen = known ? { id: known.id, name: known.full_name } : null
  return (
    <>
      <Radios
        name="who-choice"
        legend="With whom?"
        value={isNew ? 'new' : 'known'}
        isRow
        options={[
          { value: 'known', words: 'Somebody you have already' },
          { value: 'new', words: 'Somebody new' },
        ]}
        onChange={(who) => onChange({ who, ...(who === 'new' && { worker_id: '' }) })}
      />
      {isNew ? (
        <>
          <div className="pair">
            <TextField
              label="First name"
              name="first_name"
              required
              maxLength={100}
              defaultValue={values.first_name}
              fault={fault('first_name')}
            />
            <TextField
              label="Last name"
              name="last_name"
              required
              maxLength={100}
              defaultValue={values.last_name}
              fault={fault('last_name')}
            />
          </div>
          <div className="pair">
            <TextField
              label="E-mail"
              name="email"
              type="email"
              required
              hint="A person with this address is taken as they are."
              defaultValue={values.email}
              fault={fault('email')}
            />
            <LookupField
              of="countries"
              label="Country"
              name="worker_country"
              required
              defaultValue={values.worker_country ?? ''}
              fault={fault('country')}
            />
          </div>
        </>
      ) : before && !known && !unknown ? (
        // The name of somebody who was chosen before comes a moment later.
        <Skeleton rows={1} />
      ) : (
        <PersonPicker
          label="Person"
          name="person-choice"
          required
          defaultValue={chosen}
          onChoose={(choice) => onChange({ worker_id: choice?.id ?? '' })}
          fault={faultAt(error, '/worker_id')}
        />
      )}
    </>
  )
}

export function TermsStep({ values, error, onChange }: StepProps) {
  const { organization_id } = useMe().membership
  const { value: organization, error: unknown, reload } = useAnswer(stint.organizations.get, { organization_id })
  // The cast holds because the step before has seen to it.
  const type = values.type as ContractType
  const fault = (pointer: string) => faultAt(error, pointer)
  const fields = { type, error, pointerTo: inContract, values: { first_cycle_end: '', ...values } }
  // Its currency is the usual one; a form that could be sent before it is known would miss it.
  if (!organization) return unknown ? <Failed error={unknown} reload={reload} /> : <Skeleton rows={6} />
  return (
    <>
      <TextField
        label="Title of the contract"
        name="title"
        required
        maxLength={200}
        placeholder="Platform engineering"
        defaultValue={values.title}
        fault={fault('/title')}
      />
      <div className="pair">
        <DateField
          label="Start"
          name="start_date"
          required
          defaultValue={values.start_date}
          fault={fault('/start_date')}
        />
        <DateField
          label="End (optional)"
          name="end_date"
          hint="Left empty, it goes on until somebody ends it."
          defaultValue={values.end_date}
          fault={fault('/end_date')}
        />
      </div>
      <PayFields
        {...fields}
        currency={
          <LookupField
            of="currencies"
            label="Currency"
            name="currency"
            required
            hint="It stays for the life of the contract."
            defaultValue={values.currency || organization.default_currency}
            fault={fault('/compensation/currency')}
          />
        }
      />
      <More title="More about the work" isOpen={hasFault(error, work_pointers)}>
        <WorkFields {...fields} />
      </More>
      <More title="More about the pay, company and team" isOpen={hasFault(error, more_pointers)}>
        <PayDetails {...fields} />
        <PlaceFields values={values} error={error} onChange={onChange} />
      </More>
    </>
  )
}

const work_pointers = ['job_title', 'seniority', 'scope_of_work', 'special_clause', 'notice_period_days'].map(
  inContract,
)
const more_pointers = [...place_fields.slice(2), inContract('payment_due_days'), inContract('proration')]
const hasFault = (error: ApiError | null, pointers: readonly string[]) =>
  pointers.some((pointer) => faultAt(error, pointer) !== undefined)

/** The facts around a contract that nobody signs. */
function PlaceFields({ values, error, onChange }: StepProps) {
  const chosen = (noun: string) => {
    const { [`${noun}_id`]: id, [`${noun}_name`]: name = '' } = values
    return id ? { id, name } : null
  }
  const choose = (noun: string) => (choice: Choice | null) =>
    onChange({ [`${noun}_id`]: choice?.id ?? '', [`${noun}_name`]: choice?.name ?? '' })
  const fault = (pointer: string) => faultAt(error, pointer)
  return (
    <>
      <div className="pair">
        <SimplePicker
          of="legal_entities"
          label="Company (optional)"
          name="legal-entity-choice"
          placeholder="The default one"
          defaultValue={chosen('legal_entity')}
          onChoose={choose('legal_entity')}
          fault={fault('/legal_entity_id')}
        />
        <SimplePicker
          of="teams"
          label="Team (optional)"
          name="team-choice"
          defaultValue={chosen('team')}
          onChoose={choose('team')}
          fault={fault('/team_id')}
        />
      </div>
      <LookupField
        of="countries"
        label="Country of the contract"
        name="country"
        none="As the worker"
        defaultValue={values.country ?? ''}
        fault={fault('/country')}
      />
      <LookupField
        of="time_zones"
        label="Time zone"
        name="timezone"
        none="As the organization"
        hint="Days of the contract begin and end by it."
        defaultValue={values.timezone ?? ''}
        fault={fault('/timezone')}
      />
      <TaxFields type={values.type ?? ''} values={values} error={error} />
      <TextField
        label="Own id (optional)"
        name="external_id"
        maxLength={100}
        hint="Its id in a system of yours; no other contract may have it."
        defaultValue={values.external_id}
        fault={fault('/external_id')}
      />
    </>
  )
}

export function TaxFields({ type, values, error }: { type: string; values: Values; error: ApiError | null }) {
  if (type === 'employee') return null
  return (
    <div className="pair">
      <TextField
        label="VAT in percent (optional)"
        name="vat_rate"
        {...decimal_field}
        defaultValue={values.vat_rate}
        fault={faultAt(error, '/tax/vat_rate')}
      />
      <SelectField
        label="Who owes the VAT"
        name="reverse_charge"
        options={[
          { value: '', words: 'The worker' },
          { value: 'true', words: 'The company (reverse charge)' },
        ]}
        defaultValue={values.reverse_charge}
      />
    </div>
  )
}

/** Fields that most leave as they are. They stay in the form while it is closed, so that nothing typed is lost. */
function More({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const [hasOpened, setOpened] = useState(isOpen)
  return (
    <details className="more" open={hasOpened || isOpen} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{title}</summary>
      <div className="stack">{children}</div>
    </details>
  )
}
