import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Check, Radios } from '../components/choice-list.tsx'
import { AppCodeField, CodeField } from '../components/code-field.tsx'
import { Combobox } from '../components/combobox.tsx'
import { DateField } from '../components/date-field.tsx'
import { Filters, RangeFilter, SearchFilter, SelectFilter, SeveralFilter } from '../components/filters.tsx'
import { MoneyField } from '../components/money-field.tsx'
import { PageForm } from '../components/page-form.tsx'
import { SelectField } from '../components/select-field.tsx'
import { TextArea } from '../components/text-area.tsx'
import { PasswordField, TextField } from '../components/text-field.tsx'
import { AmountFields, AwayFields, HoursFields } from '../components/work-fields.tsx'
import type { Demos } from './main.tsx'

const fault = 'It must be a decimal number with at most 2 places.'
const statuses = ['Active', 'Pending', 'Terminated'].map((words) => ({ value: words.toLowerCase(), words }))
const people = ['Ada Lindqvist', 'Ben Oak', 'Jonas Weber'].map((name) => ({ id: name, name, hint: 'Platform' }))
const find = async (search: string) => people.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
const field = <Name extends string>(name: Name, label: string) => ({ name, label, fault: undefined })

function Choices() {
  const [isOn, setOn] = useState(true)
  const [value, setValue] = useState<'full' | 'thin'>('full')
  return (
    <div className="stack">
      <Check checked={isOn} onChange={setOn}>
        Bank accounts
      </Check>
      <Check checked={false} onChange={setOn} disabled>
        Not with this role
      </Check>
      <Radios
        name="payload"
        legend="Payload"
        value={value}
        onChange={setValue}
        options={[
          { value: 'full', words: 'Full', hint: 'The whole resource, less what is sensitive.' },
          { value: 'thin', words: 'Thin', hint: 'Ids, status and time.' },
        ]}
      />
    </div>
  )
}

export const fields: Demos = {
  'choice-list': <Choices />,
  'code-field': (
    <div className="stack">
      <CodeField methods={['totp', 'recovery_code']} fault="It was not right." />
      <AppCodeField hint="The six digits that your authenticator app shows." />
    </div>
  ),
  combobox: <Combobox name="person" label="Person" hint="By name or e-mail." find={find} placeholder="Name" />,
  'date-field': <DateField label="First day" defaultValue="2026-11-03" />,
  filters: (
    <Filters count={1}>
      <SearchFilter name="q" label="Search" placeholder="Title or worker" />
      <SelectFilter name="type" label="Type" options={[{ value: '', words: 'All' }, ...statuses]} />
      <SeveralFilter name="statuses" label="Status" options={statuses} />
      <RangeFilter label="Day" from="from" to="to" />
    </Filters>
  ),
  'money-field': (
    <div className="stack">
      <MoneyField label="Amount" currency="EUR" defaultValue="1250.50" />
      <MoneyField label="Rate" currency="EUR" defaultValue="12.505" fault={fault} />
    </div>
  ),
  'page-form': (
    <PageForm isBusy={false} hasFailed={false}>
      <TextField label="Name of the form" />
      <div className="actions">
        <Button>Save changes</Button>
      </div>
    </PageForm>
  ),
  'select-field': (
    <div className="stack">
      <SelectField label="Status" options={statuses} hint="As it is now." />
      <SelectField label="Former status" options={statuses} fault="It is required." />
    </div>
  ),
  'text-area': <TextArea label="Scope of work (optional)" hint="Agreed beside the standard terms." />,
  'text-field': (
    <div className="stack">
      <TextField label="Title" hint="As both sides read it." defaultValue="Harbour design" />
      <TextField label="Only read" readOnly value="Harbour design" />
      <TextField label="Rate in percent" defaultValue="nineteen" fault={fault} />
      <PasswordField label="Password" autoComplete="off" defaultValue="seven quiet herons" />
    </div>
  ),
  'work-fields': (
    <div className="stack">
      <HoursFields field={field} item={undefined} scale="hourly" about="What you did" />
      <AmountFields field={field} item={undefined} currency="EUR" about="What it is for" />
      <AwayFields
        field={field}
        item={undefined}
        halves={{ start_half_day: true, end_half_day: false }}
        setHalves={() => undefined}
      />
    </div>
  ),
}
