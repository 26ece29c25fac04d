import { useState } from 'react'
import type { Person } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { isOfNoField } from '../../lib/faults.ts'
import { goTo, Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { PageTitle } from '../frame.tsx'
import { NameFields, OwnFields, PrivateFields, WorkFields } from './person-fields.tsx'
import { changedPerson, newPerson, person_pointers } from './person-values.ts'
import '../../styles/work.css'

export function NewPersonPage() {
  const [key] = useState(() => crypto.randomUUID())
  return (
    <>
      <PageTitle
        title="Add person"
        back={{ to: '/people', words: 'People' }}
        lead={<p>A name and an e-mail address are enough to begin with.</p>}
      />
      <PersonForm
        action="Add person"
        cancel="/people"
        onSubmit={async (form) => {
          const { id } = await stint.people.create(newPerson(form), { idempotency_key: key })
          goTo(`/people/${id}`)
        }}
      />
    </>
  )
}

export function EditPersonPage({ id }: { id: string }) {
  const { value: person, error, reload } = useAnswer(stint.people.get, { person_id: id })
  const here = `/people/${id}`
  if (!person) {
    return (
      <>
        <PageTitle title="Edit person" back={{ to: '/people', words: 'People' }} />
        {error ? <Failed error={error} reload={reload} /> : <Skeleton rows={6} />}
      </>
    )
  }
  return (
    <>
      <PageTitle title={`Edit ${person.full_name}`} back={{ to: here, words: person.full_name }} />
      <PersonForm
        person={person}
        action="Save changes"
        cancel={here}
        onSubmit={async (form) => {
          const changes = changedPerson(form, person)
          if (Object.keys(changes).length > 0) await stint.people.update({ person_id: id, ...changes })
          goTo(here)
        }}
      />
    </>
  )
}

interface PersonFormProps {
  person?: Person
  action: string
  /** Cancel leads there. */
  cancel: string
  onSubmit(form: FormData): Promise<void>
}

function PersonForm({ person, action, cancel, onSubmit }: PersonFormProps) {
  const [kind, setKind] = useState<'contractor' | 'employee'>(
    person?.worker_type === 'employee' ? 'employee' : 'contractor',
  )
  const { submit, isBusy, error } = useSubmit(async (form) => {
    form.set('worker_type', kind)
    await onSubmit(form)
  })
  return (
    <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit} noValidate>
      {isOfNoField(error, person_pointers) ? <ErrorBanner error={error} /> : null}
      <NameFields person={person} error={error} />
      <WorkFields person={person} error={error} kind={kind} onKind={setKind} />
      <PrivateFields person={person} error={error} />
      <OwnFields person={person} error={error} />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          {action}
        </Button>
        <Link className="button secondary" to={cancel}>
          Cancel
        </Link>
      </div>
    </PageForm>
  )
}
