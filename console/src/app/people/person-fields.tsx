import type { ReactNode } from 'react'
import type { Person } from '#sdk/index.ts'
import { Radios } from '../../components/choice-list.tsx'
import { DateField } from '../../components/date-field.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt } from '../../lib/faults.ts'
import { CustomInputs, useCustomFields } from '../custom-inputs.tsx'
import { LookupField } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { PersonPicker, SimplePicker } from '../pickers.tsx'
import { TeamsField } from './teams-field.tsx'
import { worker_types } from './words.tsx'

interface FieldsProps {
  /** Absent: a new one. */
  person?: Person | undefined
  error: ApiError | null
}

/** The part that all fields have alike: the name, what stands there, and what is wrong with it. */
function fieldsOf({ person, error }: FieldsProps) {
  return (name: keyof Person, label: string) => {
    const value = person?.[name]
    return { name, label, defaultValue: typeof value === 'string' ? value : '', fault: faultAt(error, `/${name}`) }
  }
}

const refOf = (error: ApiError | null, name: string) => ({ name: `${name}_id`, fault: faultAt(error, `/${name}_id`) })

export function NameFields(props: FieldsProps) {
  const field = fieldsOf(props)
  const { sees } = useMe()
  return (
    <Group title="Name and contact">
      <div className="pair">
        <TextField {...field('first_name', 'First name')} required maxLength={100} autoComplete="off" />
        <TextField {...field('last_name', 'Last name')} required maxLength={100} autoComplete="off" />
      </div>
      <div className="pair">
        <TextField
          {...field('email', 'Work e-mail')}
          type="email"
          required={props.person?.email !== null}
          maxLength={254}
          spellCheck={false}
          autoComplete="off"
          hint="Stands on contracts and invoices. Invitation links are for it, but Stint sends no mail: pass them on."
        />
        <TextField
          {...field('preferred_name', 'Preferred name (optional)')}
          maxLength={100}
          autoComplete="off"
          hint="In place of the first name wherever the name is shown."
        />
      </div>
      {sees('home_address') ? (
        <div className="pair">
          <TextField
            {...field('phone', 'Phone (optional)')}
            type="tel"
            autoComplete="off"
            placeholder="+49305550101"
            hint="With the code of the country."
          />
          <TextField {...field('personal_email', 'Private e-mail (optional)')} type="email" autoComplete="off" />
        </div>
      ) : null}
    </Group>
  )
}

/** The place of a person in the organization: also what a move changes, which is all a choice. */
export function PlaceFields({ person, error, optional = '' }: FieldsProps & { optional?: string }) {
  return (
    <>
      <div className="pair">
        <SimplePicker
          of="departments"
          label={`Department${optional}`}
          {...refOf(error, 'department')}
          defaultValue={person?.department ?? null}
        />
        <PersonPicker
          label={`Manager${optional}`}
          {...refOf(error, 'manager')}
          defaultValue={person?.manager ?? null}
        />
      </div>
      <div className="pair">
        <SimplePicker
          of="working_locations"
          label={`Working location${optional}`}
          {...refOf(error, 'working_location')}
          defaultValue={person?.working_location ?? null}
        />
        <SimplePicker
          of="legal_entities"
          label={`Legal entity${optional}`}
          {...refOf(error, 'legal_entity')}
          defaultValue={person?.legal_entity ?? null}
        />
      </div>
      <TeamsField label={`Teams${optional}`} teams={person?.teams ?? []} fault={faultAt(error, '/team_ids')} />
    </>
  )
}

export function WorkFields(
  props: FieldsProps & { kind: 'contractor' | 'employee'; onKind(kind: 'contractor' | 'employee'): void },
) {
  const field = fieldsOf(props)
  return (
    <Group title="Work">
      <Radios
        name="worker_type"
        legend="Kind"
        value={props.kind}
        options={worker_types}
        onChange={props.onKind}
        isRow
      />
      <div className="pair">
        <TextField {...field('job_title', 'Job title (optional)')} maxLength={150} />
        <DateField
          {...field('start_date', 'Works here since (optional)')}
          hint="Leave of the first year is counted from then."
        />
      </div>
      <PlaceFields person={props.person} error={props.error} optional=" (optional)" />
      <div className="pair">
        <LookupField {...field('country', 'Country (optional)')} of="countries" none="Not set" />
        <LookupField {...field('timezone', 'Time zone (optional)')} of="time_zones" none="Not set" />
      </div>
      <div className="pair">
        <TextField
          {...field('external_id', 'External id (optional)')}
          maxLength={255}
          spellCheck={false}
          hint="Your own number of the person, unique."
        />
        <TextField {...field('seniority', 'Seniority (optional)')} maxLength={100} />
      </div>
    </Group>
  )
}

/** Shown to those who see them; for others they stay as they are. */
export function PrivateFields(props: FieldsProps) {
  const { sees } = useMe()
  const field = fieldsOf(props)
  const { person, error } = props
  const inside = (object: 'home_address' | 'emergency_contact') => (name: string, label: string) => ({
    ...{ name: `${object}.${name}`, label, fault: faultAt(error, `/${object}/${name}`) },
    // The cast holds because members of these objects are texts or null.
    defaultValue: (person?.[object] as Record<string, string | null> | null | undefined)?.[name] ?? '',
  })
  const address = inside('home_address')
  const contact = inside('emergency_contact')
  return (
    <>
      {sees('personal_identifiers') ? (
        <Group title="Identity" hint="Only owners and admins see these. All are optional.">
          <div className="pair">
            <DateField {...field('date_of_birth', 'Date of birth')} />
            <LookupField {...field('nationality', 'Nationality')} of="countries" none="Not set" />
          </div>
          <div className="pair">
            <TextField {...field('vat_id', 'VAT id')} maxLength={30} spellCheck={false} />
          </div>
        </Group>
      ) : null}
      {sees('home_address') ? (
        <>
          <Group title="Home address" hint="Stands on invoices of contractors. Only owners and admins see it.">
            <TextField {...address('line_1', 'Street and number')} maxLength={200} autoComplete="off" />
            <TextField {...address('line_2', 'Second line')} maxLength={200} autoComplete="off" />
            <div className="pair">
              <TextField {...address('postal_code', 'Postal code')} maxLength={20} autoComplete="off" />
              <TextField {...address('city', 'City')} maxLength={100} autoComplete="off" />
            </div>
            <div className="pair">
              <TextField {...address('region', 'Region')} maxLength={100} autoComplete="off" />
              <LookupField {...address('country', 'Country of the address')} of="countries" none="Not set" />
            </div>
          </Group>
          <Group title="In an emergency" hint="Whom to call. All are optional.">
            <div className="pair">
              <TextField {...contact('name', 'Name of the contact')} maxLength={200} autoComplete="off" />
              <TextField {...contact('phone', 'Phone of the contact')} type="tel" autoComplete="off" />
            </div>
            <div className="pair">
              <TextField {...contact('relation', 'Relation')} maxLength={100} autoComplete="off" />
            </div>
          </Group>
        </>
      ) : null}
    </>
  )
}

/** The fields that the organization has added to its people. */
export function OwnFields({ person, error }: FieldsProps) {
  const fields = useCustomFields('person')
  if (!fields || fields.length === 0) return null
  return (
    <Group title="Own fields">
      <CustomInputs fields={fields} values={person?.custom_fields ?? {}} error={error} />
    </Group>
  )
}

function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <fieldset className="group">
      <legend>{title}</legend>
      {hint ? <p className="hint">{hint}</p> : null}
      <div className="stack">{children}</div>
    </fieldset>
  )
}
