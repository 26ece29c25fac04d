import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stepper } from '../../components/stepper.tsx'
import { ApiError } from '../../lib/api.ts'
import { isOfNoField } from '../../lib/faults.ts'
import { goTo, Link, useSearch } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import '../../styles/contracts.css'
import { PageTitle } from '../frame.tsx'
import { useDraft } from './draft.ts'
import { PersonStep, TermsStep, TypeStep, wizard_pointers } from './new-contract-steps.tsx'
import { OtherFacts, TermsFacts } from './terms-facts.tsx'
import { newContract, type Values, valuesIn } from './values.ts'

const steps = [
  { name: 'type', words: 'Type' },
  { name: 'person', words: 'Person' },
  { name: 'terms', words: 'Terms and pay' },
  { name: 'review', words: 'Review' },
] as const
type StepName = (typeof steps)[number]['name']

/** A new contract, step by step; what was typed stays over a reload, and the address holds the step. */
export function NewContractPage() {
  const [search] = useSearch()
  const worker_id = search.get('worker')
  const draft = useDraft(worker_id ? { worker_id, who: 'known' } : {})
  const { values } = draft
  const wished = steps.findIndex(({ name }) => name === search.get('step'))
  const reached = steps.findIndex(({ name }) => name === 'review' || faultOf(name, values) !== null)
  const at = Math.min(Math.max(wished, 0), reached)
  const step = steps[at]?.name ?? 'type'
  const go = (name: StepName) => goTo(`/contracts/new?step=${name}`)
  const { submit, isBusy, error, clear } = useSubmit(async (form) => {
    const next = { ...values, ...valuesIn(form) }
    draft.change(next)
    const fault = faultOf(step, next)
    if (fault) throw fault
    if (step === 'review') {
      const { id } = await stint.contracts.create(newContract(next), { idempotency_key: draft.key })
      draft.end()
      return goTo(`/contracts/${id}`)
    }
    if (step === 'terms') {
      // A refusal of the service is said here, where it can be mended, and not after the review.
      try {
        await rehearse(next)
      } catch (thrown) {
        if (thrown instanceof Error && isAboutPerson(thrown)) go('person')
        throw thrown
      }
    }
    go(steps[at + 1]?.name ?? 'review')
  })
  const panel: Record<StepName, ReactNode> = {
    type: <TypeStep values={values} onChange={draft.change} />,
    person: <PersonStep values={values} error={error} onChange={draft.change} />,
    terms: <TermsStep values={values} error={error} onChange={draft.change} />,
    review: <Review values={values} back={() => go('terms')} />,
  }
  return (
    <>
      <PageTitle title="New contract" back={{ to: '/contracts', words: 'Contracts' }} />
      <Stepper
        steps={steps}
        current={step}
        reached={reached}
        onChoose={(name) => {
          clear()
          go(name)
        }}
      />
      <form
        key={step}
        className="stack form"
        noValidate
        onSubmit={submit}
        onChange={(event: FormEvent<HTMLFormElement>) => draft.change(valuesIn(new FormData(event.currentTarget)))}
      >
        <StepHeading words={steps[at]?.words ?? ''} isFirst={wished < 0} />
        {isOfNoField(error, wizard_pointers) ? <ErrorBanner error={error} /> : null}
        {panel[step]}
        <div className="actions">
          <Button type="submit" isBusy={isBusy}>
            {step === 'review' ? 'Create contract' : 'Next'}
          </Button>
          {at > 0 ? (
            <Button look="secondary" onClick={() => go(steps[at - 1]?.name ?? 'type')}>
              Back
            </Button>
          ) : (
            <Link className="button secondary" to="/contracts">
              Cancel
            </Link>
          )}
        </div>
      </form>
      {values.type ? (
        <p className="hint">
          What you typed stays in this tab until you create the contract or sign out.{' '}
          <Button
            look="link"
            onClick={() => {
              clear()
              draft.anew()
              go('type')
            }}
          >
            Begin anew
          </Button>
        </p>
      ) : null}
    </>
  )
}

/** Gets the focus when its step comes, so that keyboard and screen reader go on there. */
function StepHeading({ words, isFirst }: { words: string; isFirst: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true })
  }, [isFirst])
  return (
    <h2 ref={heading} tabIndex={-1}>
      {words}
    </h2>
  )
}

/** Has the service make the contract and take it back: every default filled in, every rule looked at. */
const rehearse = (values: Values) => stint.contracts.create(newContract(values), { dry_run: true })

/** The contract as it would be, in the service's own words. */
function Review({ values, back }: { values: Values; back(): void }) {
  const { value, error, reload } = useAnswer(rehearse, values)
  if (error) {
    return (
      <>
        <Failed error={error} reload={reload} />
        <Button look="secondary" onClick={back}>
          Change the terms
        </Button>
      </>
    )
  }
  if (!value) return <Skeleton rows={6} />
  // The rehearsal answers the contract itself, and beside it what else would happen.
  const contract: Contract = value
  const isNewPerson = value.dry_run.events.some(({ type }) => type === 'person.created')
  return (
    <section className="review" aria-label="The contract as it will be">
      <h3>
        <bdi>{contract.title}</bdi>
      </h3>
      <p>
        With <bdi>{contract.worker_name}</bdi>, <bdi>{contract.worker_email}</bdi>
        {isNewPerson ? ', who is added to your people' : ''}.
      </p>
      <TermsFacts contract={contract} />
      <h3>Details</h3>
      <OtherFacts contract={contract} />
      <p className="hint">It begins as pending and binds nobody. On its page you sign it, and invite the worker.</p>
    </section>
  )
}

const isAboutPerson = (thrown: unknown) =>
  JSON.stringify(thrown instanceof Error && 'document' in thrown ? thrown.document : '').includes('"/worker')

/** The fault of a step as the service would put it, before it is asked. */
function faultOf(step: StepName, values: Values): ApiError | null {
  const missing = (pointer: string) =>
    new ApiError(422, { detail: words, errors: [{ pointer, message: 'is required' }] }, null)
  const words = 'Something is left to fill in.'
  const blank = (name: string) => (values[name] ?? '').trim() === ''
  if (step === 'type') return blank('type') ? new ApiError(422, { detail: 'Choose a type.' }, null) : null
  if (step === 'person') {
    if (values.who !== 'new') return blank('worker_id') ? missing('/worker_id') : null
    const [first] = ['first_name', 'last_name', 'email', 'country'].filter((name) =>
      blank(name === 'country' ? 'worker_country' : name),
    )
    return first ? missing(`/worker/${first}`) : null
  }
  if (step !== 'terms') return null
  if (blank('title')) return missing('/title')
  if (blank('start_date')) return missing('/start_date')
  if (values.type !== 'milestone' && blank('amount')) return missing('/compensation/amount')
  return null
}
