import type { Contract } from '#sdk/index.ts'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { DateField } from '../../components/date-field.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import type { ApiError } from '../../lib/api.ts'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import '../../styles/contracts.css'
import { CustomInputs, customChange, useCustomFields } from '../custom-inputs.tsx'
import { PageTitle } from '../frame.tsx'
import { SimplePicker } from '../pickers.tsx'
import { TaxFields, wizard_pointers } from './new-contract-steps.tsx'
import { inContract, PayDetails, PayFields, WorkFields } from './terms-fields.tsx'
import { contractChange, valuesIn, valuesOf } from './values.ts'
import type { ContractType } from './words.ts'

/** Changes what may be changed directly: the terms while nobody is bound, the rest at any time. */
export function EditContractPage({ id }: { id: string }) {
  const { value: contract, error, reload } = useAnswer(stint.contracts.get, { contract_id: id })
  if (contract) return <EditForm contract={contract} />
  return (
    <>
      <PageTitle title="Edit contract" back={{ to: `/contracts/${id}`, words: 'Contract' }} />
      {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
    </>
  )
}

function EditForm({ contract }: { contract: Contract }) {
  const { id, title, status, team, type, signatures } = contract
  const here = `/contracts/${id}`
  const values = valuesOf(contract)
  const own_fields = useCustomFields('contract')
  const { submit, isBusy, error } = useSubmit(async (form, keyed) => {
    const custom_fields = customChange(form, contract.custom_fields)
    const change = { ...contractChange(values, valuesIn(form)), ...(custom_fields && { custom_fields }) }
    if (Object.keys(change).length > 0) await stint.contracts.update({ contract_id: id, ...change }, keyed)
    goTo(here)
  })
  const fault = (pointer: string) => faultAt(error, pointer)
  const isSigned = signatures.client_signed_at !== null || signatures.worker_signed_at !== null
  return (
    <>
      <PageTitle title={`Edit ${title}`} back={{ to: here, words: title }} />
      <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit} noValidate>
        {isOfNoField(error, [...wizard_pointers, '/custom_fields']) ? <ErrorBanner error={error} /> : null}
        {status === 'pending' && isSigned ? (
          <Banner tone="warning" title="One party has signed already.">
            <p>If you change a term, that signature no longer counts, and it has to be given again.</p>
          </Banner>
        ) : null}
        <TextField
          label="Title of the contract"
          name="title"
          required
          maxLength={200}
          defaultValue={title}
          fault={fault('/title')}
        />
        {status === 'pending' ? <Terms contract={contract} error={error} /> : null}
        <h2>Details</h2>
        <SimplePicker of="teams" label="Team (optional)" name="team_id" defaultValue={team} fault={fault('/team_id')} />
        <TaxFields type={type} values={values} error={error} />
        <TextField
          label="Own id (optional)"
          name="external_id"
          maxLength={100}
          defaultValue={values.external_id}
          fault={fault('/external_id')}
        />
        <CustomInputs fields={own_fields ?? []} values={contract.custom_fields} error={error} />
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            Save changes
          </Button>
          <Link className="button secondary" to={here}>
            Cancel
          </Link>
        </div>
      </PageForm>
    </>
  )
}

function Terms({ contract, error }: { contract: Contract; error: ApiError | null }) {
  const values = valuesOf(contract)
  // The cast holds because the form offers the types there are; a newer one shows as the plainest.
  const fields = { type: contract.type as ContractType, error, pointerTo: inContract, values }
  return (
    <>
      <div className="pair">
        <DateField
          label="Start"
          name="start_date"
          required
          defaultValue={values.start_date}
          fault={faultAt(error, '/start_date')}
        />
        <DateField
          label="End (optional)"
          name="end_date"
          hint="Left empty, it goes on until somebody ends it."
          defaultValue={values.end_date}
          fault={faultAt(error, '/end_date')}
        />
      </div>
      <h2>Pay</h2>
      <PayFields {...fields} currency={contract.compensation.currency} />
      <PayDetails {...fields} />
      <h2>Work</h2>
      <WorkFields {...fields} />
    </>
  )
}
