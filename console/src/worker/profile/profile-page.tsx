import { useState } from 'react'
import type { Person, WorkerUpdateProfileInput } from '#sdk/index.ts'
import { PageTitle } from '../../app/frame.tsx'
import { LookupField } from '../../app/lookup-field.tsx'
import { PrivateFields } from '../../app/people/person-fields.tsx'
import { Banner } from '../../components/banner.tsx'
import { Button } from '../../components/button.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Failed } from '../../components/list.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import { changesOf, objectOf, valuesOf } from '../../lib/form-values.ts'
import { stint } from '../../lib/service.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useWorker } from '../worker.ts'
import { useProfile } from './use-profile.ts'

/** The worker's own data: what the employer keeps, and what the worker keeps up to date itself. */
export function ProfilePage() {
  const { value: person, error, reload, set } = useProfile()
  const { place } = useWorker()
  return (
    <>
      <PageTitle title="Profile" lead={<p>What {place.organization_name} knows of you.</p>} />
      {person ? (
        <>
          <Facts>
            <Fact name="Name">
              <bdi>
                {person.first_name} {person.last_name}
              </bdi>
            </Fact>
            <Fact name="Work e-mail">
              <bdi>{person.email}</bdi>
            </Fact>
            {person.job_title ? (
              <Fact name="Job title">
                <bdi>{person.job_title}</bdi>
              </Fact>
            ) : null}
          </Facts>
          <p className="hint">{place.organization_name} changes these.</p>
          <ProfileForm key={person.updated_at} person={person} onSaved={set} />
        </>
      ) : error ? (
        <Failed error={error} reload={reload} />
      ) : (
        <Skeleton rows={6} />
      )}
    </>
  )
}

const texts = [
  ...(['preferred_name', 'phone', 'personal_email', 'timezone'] as const),
  ...(['date_of_birth', 'nationality', 'vat_id'] as const),
] as const
const pointers = [...texts, 'home_address', 'emergency_contact'].map((name) => `/${name}`)

/** Only what differs, so that what the employer changed meanwhile stays. */
function changesIn(form: FormData, person: Person): WorkerUpdateProfileInput {
  const [home_address, emergency_contact] = [objectOf(form, 'home_address'), objectOf(form, 'emergency_contact')]
  const given = { ...valuesOf(form, texts), home_address, emergency_contact }
  // The cast holds as far as the form goes; the service names the field that is missing or wrong.
  return changesOf(given, person) as WorkerUpdateProfileInput
}

function ProfileForm({ person, onSaved }: { person: Person; onSaved(person: Person): void }) {
  const [isSaved, setSaved] = useState(false)
  const { submit, isBusy, error } = useSubmit(async (form) => {
    setSaved(false)
    const changes = changesIn(form, person)
    if (Object.keys(changes).length > 0) onSaved(await stint.worker.update_profile(changes))
    setSaved(true)
  })
  const field = (name: (typeof texts)[number], label: string) => ({
    ...{ name, label, defaultValue: person[name] ?? '', fault: faultAt(error, `/${name}`) },
  })
  return (
    <form className="stack form" onSubmit={submit}>
      <div role="status">{isSaved ? <Banner tone="info" title="Saved." /> : null}</div>
      {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
      <fieldset className="group">
        <legend>How to reach you</legend>
        <div className="stack">
          <div className="pair">
            <TextField
              {...field('preferred_name', 'Preferred name (optional)')}
              hint="In place of your first name, wherever your name is shown."
              maxLength={100}
              autoComplete="nickname"
            />
            <TextField
              {...field('phone', 'Phone (optional)')}
              type="tel"
              autoComplete="tel"
              hint="With the code of the country."
            />
          </div>
          <div className="pair">
            <TextField {...field('personal_email', 'Private e-mail (optional)')} type="email" autoComplete="email" />
            <LookupField {...field('timezone', 'Time zone (optional)')} of="time_zones" none="Not set" />
          </div>
        </div>
      </fieldset>
      <PrivateFields person={person} error={error} />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          Save
        </Button>
      </div>
    </form>
  )
}
