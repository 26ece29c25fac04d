import type { Amendment, Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { DateField } from '../../components/date-field.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { ApiError } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { textOf, useSubmit } from '../../lib/use-submit.ts'
import '../../styles/contracts.css'
import { PageTitle } from '../frame.tsx'
import { inAmendment, PayDetails, PayFields, termsPointers, WorkFields } from './terms-fields.tsx'
import { termsChange, valuesIn, valuesOf } from './values.ts'
import type { ContractType } from './words.ts'

/** Drafts new terms for an active contract; `?amendment=` names a draft to change. */
export function AmendContractPage({ id }: { id: string }) {
  const [search] = useSearch()
  const amendment_id = search.get('amendment')
  const contract = useAnswer(stint.contracts.get, { contract_id: id })
  const draft = useAnswer(stint.amendments.get, amendment_id ? { contract_id: id, amendment_id } : null)
  if (contract.value && (draft.value || !amendment_id)) {
    return <AmendForm contract={contract.value} draft={amendment_id ? draft.value : null} />
  }
  const error = contract.error ?? draft.error
  return (
    <>
      <PageTitle title="Amend the terms" back={{ to: `/contracts/${id}`, words: 'Contract' }} />
      {error ? (
        <Failed error={error} reload={contract.error ? contract.reload : draft.reload} />
      ) : (
        <Skeleton rows={6} />
      )}
    </>
  )
}

const pointers = ['/effective_date', '/reason', ...termsPointers(inAmendment)]

function AmendForm({ contract, draft }: { contract: Contract; draft: Amendment | null }) {
  const { id: contract_id, title, worker_name, compensation } = contract
  const here = `/contracts/${contract_id}?tab=amendments`
  const { first_cycle_end: _, ...now } = valuesOf(contract)
  const values = draft ? { ...now, ...proposed(contract, draft) } : now
  const { submit, isBusy, error } = useSubmit(async (form, keyed) => {
    const terms = termsChange(now, valuesIn(form))
    if (Object.keys(terms).length === 0) throw new ApiError(422, { detail: 'Change at least one term.' }, null)
    const proposal = {
      ...{ contract_id, terms },
      effective_date: textOf(form, 'effective_date') || null,
      reason: textOf(form, 'reason').trim() || null,
    }
    if (draft) await stint.amendments.update({ ...proposal, amendment_id: draft.id }, keyed)
    else await stint.amendments.create(proposal, keyed)
    goTo(here)
  })
  // The cast holds because the form offers the types there are.
  const fields = { type: contract.type as ContractType, error, pointerTo: inAmendment, values }
  return (
    <>
      <PageTitle
        title={draft ? 'Change the draft' : 'Amend the terms'}
        back={{ to: here, words: title }}
        lead={
          <p>
            Change what shall be different. You see old and new side by side before you sign; it takes effect when{' '}
            <bdi>{worker_name}</bdi> has signed too.
          </p>
        }
      />
      <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit} noValidate>
        {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
        <div className="pair">
          <DateField
            label="Takes effect on (optional)"
            name="effective_date"
            hint="Left empty: when both have signed."
            defaultValue={draft?.effective_date ?? ''}
            fault={faultAt(error, '/effective_date')}
          />
          <DateField
            label="End of the contract (optional)"
            name="end_date"
            hint="Left empty, it has none."
            defaultValue={values.end_date}
            fault={faultAt(error, inAmendment('end_date'))}
          />
        </div>
        <TextArea
          label="Why the terms change (optional)"
          name="reason"
          rows={2}
          maxLength={2_000}
          hint="The worker reads it."
          defaultValue={draft?.reason ?? ''}
          fault={faultAt(error, '/reason')}
        />
        <h2>Pay</h2>
        <PayFields {...fields} currency={compensation.currency} />
        <PayDetails {...fields} />
        <h2>Work</h2>
        <WorkFields {...fields} />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            {draft ? 'Save the draft' : 'Draft the amendment'}
          </Button>
          <Link className="button secondary" to={here}>
            Cancel
          </Link>
        </div>
      </PageForm>
    </>
  )
}

/** The terms of a draft as the fields of the form. */
function proposed(contract: Contract, { terms }: Amendment) {
  const { amount, scale, frequency, cycle_end_type, cycle_end, payment_due_days, ...others } = terms
  const { pay_before_weekends, proration, ...rest } = others
  const pay = { amount, scale, frequency, cycle_end_type, cycle_end, payment_due_days, pay_before_weekends, proration }
  const named = Object.entries(pay).filter(([, value]) => value !== undefined)
  // The cast holds because both are made of the same fields.
  const as_it_will_be = {
    ...contract,
    ...rest,
    compensation: { ...contract.compensation, ...Object.fromEntries(named) },
  }
  return valuesOf(as_it_will_be as Contract)
}
