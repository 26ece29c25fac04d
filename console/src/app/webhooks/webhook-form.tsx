import { type ComponentProps, type ReactNode, useState } from 'react'
import type { WebhooksCreateInput } from '#sdk/index.ts'
import { Button } from '../../components/button.tsx'
import { Radios } from '../../components/choice-list.tsx'
import { ErrorBanner } from '../../components/error-banner.tsx'
import { Failed } from '../../components/list.tsx'
import { PageForm } from '../../components/page-form.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { TextField } from '../../components/text-field.tsx'
import { faultAt, isOfNoField } from '../../lib/faults.ts'
import type { Webhook } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { SensitiveChoice } from '../sensitive-choice.tsx'
import { EventPicker } from './event-picker.tsx'

export type WebhookFields = Omit<WebhooksCreateInput, 'status' | 'key_label'>

interface WebhookFormProps {
  webhook?: Webhook
  action: string
  /** Beside the main button. */
  aside?: ReactNode
  onSubmit(fields: WebhookFields): Promise<void>
}

const pointers = ['/url', '/name', '/description', '/events', '/sensitive_data']

/** All that can be chosen of a webhook, when it is made and afterwards. */
export function WebhookForm({ webhook, action, aside, onSubmit }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [name, setName] = useState(webhook?.name ?? '')
  const [description, setDescription] = useState(webhook?.description ?? '')
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(webhook?.events ?? []))
  const [payload, setPayload] = useState<'full' | 'thin'>(webhook?.payload === 'thin' ? 'thin' : 'full')
  const [sensitive, setSensitive] = useState<ReadonlySet<string>>(new Set(webhook?.sensitive_data ?? []))
  const [isWithoutEvent, setWithoutEvent] = useState(false)
  const { submit, isBusy, error } = useSubmit(async () => {
    setWithoutEvent(events.size === 0)
    if (events.size === 0) return document.getElementById('events')?.focus()
    // The cast holds because the categories are those that the service gave with the session, or with the webhook.
    await onSubmit({
      ...{ url: url.trim(), name: name.trim() || null, description: description.trim() || null },
      ...{ events: [...events].sort(), payload, sensitive_data: [...sensitive] },
    } as WebhookFields)
  })
  return (
    <PageForm isBusy={isBusy} hasFailed={error !== null} onSubmit={submit} noValidate>
      {isOfNoField(error, pointers) ? <ErrorBanner error={error} /> : null}
      <TextField
        label="URL of the receiver"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://receiver.example.org/hooks/stint"
        hint={
          webhook && webhook.backlog.pending + webhook.backlog.held > 0
            ? `${webhook.backlog.pending + webhook.backlog.held} deliveries that wait go to a new URL too.`
            : 'https and reachable from the internet; it answers 2xx within 30 seconds.'
        }
        spellCheck={false}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        fault={error?.code.startsWith('url_') ? error.message : faultAt(error, '/url')}
      />
      <div className="pair">
        <TextField
          label="Name (optional)"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          fault={faultAt(error, '/name')}
        />
        <TextField
          label="Description (optional)"
          maxLength={500}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
          fault={faultAt(error, '/description')}
        />
      </div>
      <EventChoice
        chosen={events}
        onChange={setEvents}
        fault={isWithoutEvent && events.size === 0 ? 'Choose at least one event type.' : faultAt(error, '/events')}
      />
      <Radios
        name="payload"
        legend="Payload"
        value={payload}
        onChange={setPayload}
        options={[
          { value: 'full', words: 'Full', hint: 'The whole resource, less what is sensitive.' },
          { value: 'thin', words: 'Thin', hint: 'Ids, status and time; fetch the rest through the API.' },
        ]}
      />
      <SensitiveChoice
        legend="Sensitive data in payloads"
        hint="Off: these fields are empty in what is sent."
        chosen={sensitive}
        onChange={setSensitive}
      />
      <div className="actions">
        <Button type="submit" isBusy={isBusy}>
          {action}
        </Button>
        {aside}
      </div>
    </PageForm>
  )
}

function EventChoice(choice: Omit<ComponentProps<typeof EventPicker>, 'types'>) {
  const { value, error, reload } = useAnswer(firstPage(stint.webhooks.list_event_types), {})
  if (value) return <EventPicker types={value.data} {...choice} />
  return error ? <Failed error={error} reload={reload} /> : <Skeleton rows={4} />
}
