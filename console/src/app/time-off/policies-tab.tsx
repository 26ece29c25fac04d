import { useState } from 'react'
import type { TimeOffPoliciesCreateInput, TimeOffPolicy } from '#sdk/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Check, Radios } from '../../components/choice-list.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { decimal_field } from '../../components/decimal-field.ts'
import { FormDialog } from '../../components/form-dialog.tsx'
import { List } from '../../components/list.tsx'
import { SelectField } from '../../components/select-field.tsx'
import type { Column } from '../../components/table.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { valuesOf } from '../../lib/form-values.ts'
import { stint } from '../../lib/service.ts'
import { useList } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMe } from '../me.tsx'
import { leave_types, leaveWords } from './words.ts'

/** The rules of each kind of leave. */
export function PoliciesTab({ isAdding, stop }: { isAdding: boolean; stop(): void }) {
  const { can } = useMe()
  const list = useList(stint.time_off_policies.list, {})
  const [open, setOpen] = useState<{ what: 'edit' | 'remove'; policy: TimeOffPolicy } | null>(null)
  const close = () => {
    stop()
    setOpen(null)
  }
  const actions: Column<TimeOffPolicy> = {
    ...{ head: 'Actions', look: 'actions' },
    cell: (policy) => (
      <>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'edit', policy })}>
          Edit<span className="only-read"> {policy.name}</span>
        </Button>
        <Button look="secondary" size="small" onClick={() => setOpen({ what: 'remove', policy })}>
          Remove<span className="only-read"> {policy.name}</span>
        </Button>
      </>
    ),
  }
  return (
    <>
      <List
        list={list}
        label="Policies"
        one="policy"
        columns={[...columns, ...(can('time-off:write') ? [actions] : [])]}
        empty={
          <>
            <h2>No policy yet</h2>
            <p>A policy says what an absence is, how its days are counted and how many a year has.</p>
          </>
        }
      />
      {isAdding || open?.what === 'edit' ? (
        <PolicyDialog {...(open && { policy: open.policy })} onClose={close} />
      ) : null}
      {open?.what === 'remove' ? (
        <ConfirmDialog
          title={`Remove ${open.policy.name}?`}
          action="Remove policy"
          onClose={close}
          onConfirm={async () => void (await stint.time_off_policies.delete({ time_off_policy_id: open.policy.id }))}
        >
          <p>Nobody can ask for time off under it any more. What was taken stays.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const columns: readonly Column<TimeOffPolicy>[] = [
  {
    ...{ head: 'Policy', look: 'main' },
    cell: ({ name, leave_type }) => (
      <>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {leaveWords(leave_type) === name ? null : <span className="under">{leaveWords(leave_type)}</span>}
      </>
    ),
  },
  {
    ...{ head: 'Days a year', look: 'number' },
    cell: ({ annual_allowance_days: days }) => days ?? <span className="none">no limit</span>,
  },
  { head: 'Counts', cell: ({ counting }) => (counting === 'working_days' ? 'Monday to Friday' : 'every day') },
  {
    head: 'Rules',
    cell: ({ is_paid, requires_approval, allow_negative }) => (
      <span className="badges">
        <Badge>{is_paid ? 'paid' : 'unpaid'}</Badge>
        {requires_approval ? null : <Badge>no review</Badge>}
        {allow_negative ? <Badge>may go below zero</Badge> : null}
      </span>
    ),
  },
]

interface PolicyDialogProps {
  policy?: TimeOffPolicy
  onClose(): void
}

const pointers = ['/name', '/leave_type', '/annual_allowance_days']

function PolicyDialog({ policy, onClose }: PolicyDialogProps) {
  const [key] = useState(() => crypto.randomUUID())
  const [counting, setCounting] = useState<'working_days' | 'calendar_days'>(
    policy?.counting === 'calendar_days' ? 'calendar_days' : 'working_days',
  )
  const [rules, setRules] = useState({
    is_paid: policy?.is_paid ?? true,
    requires_approval: policy?.requires_approval ?? true,
    allow_negative: policy?.allow_negative ?? false,
  })
  const { submit, isBusy, error } = useSubmit(async (form) => {
    const given = { ...valuesOf(form, ['name', 'leave_type', 'annual_allowance_days']), ...rules, counting }
    // The casts hold as far as the form goes; the service names the field that is missing or wrong.
    if (policy) await stint.time_off_policies.update({ time_off_policy_id: policy.id, ...given } as Update)
    else await stint.time_off_policies.create(given as TimeOffPoliciesCreateInput, { idempotency_key: key })
    onClose()
  })
  const rule = (name: keyof typeof rules) => ({
    checked: rules[name],
    onChange: (isOn: boolean) => setRules({ ...rules, [name]: isOn }),
  })
  return (
    <FormDialog
      title={policy ? `Edit ${policy.name}` : 'Add policy'}
      action={policy ? 'Save changes' : 'Add policy'}
      submit={submit}
      isBusy={isBusy}
      error={isOfNoField(error, pointers) ? error : null}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        defaultValue={policy?.name}
        fault={faultAt(error, '/name')}
      />
      {policy ? null : (
        <SelectField
          label="Kind of leave"
          name="leave_type"
          options={leave_types}
          fault={faultAt(error, '/leave_type')}
          hint="It cannot be changed later."
        />
      )}
      <TextField
        label="Days a year (optional)"
        name="annual_allowance_days"
        {...decimal_field}
        hint="In steps of half a day. Empty: no limit."
        defaultValue={policy?.annual_allowance_days ?? ''}
        fault={faultAt(error, '/annual_allowance_days')}
      />
      <Radios
        name="counting"
        legend="Days that count"
        value={counting}
        options={[
          { value: 'working_days', words: 'Monday to Friday' },
          { value: 'calendar_days', words: 'Every day' },
        ]}
        onChange={setCounting}
        isRow
      />
      <div>
        <Check {...rule('is_paid')}>It is paid</Check>
        <Check {...rule('requires_approval')}>Each request is reviewed</Check>
        <Check {...rule('allow_negative')}>More days than are available may be taken</Check>
      </div>
    </FormDialog>
  )
}

type Update = Parameters<typeof stint.time_off_policies.update>[0]
