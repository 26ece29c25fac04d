import { Badge } from '../components/badge.tsx'
import { Banner } from '../components/banner.tsx'
import { Button } from '../components/button.tsx'
import { Code } from '../components/code.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Day } from '../components/date.tsx'
import { DownloadButton } from '../components/download-button.tsx'
import { Emphasised } from '../components/emphasised.tsx'
import { ErrorBanner } from '../components/error-banner.tsx'
import { Expandable } from '../components/expandable.tsx'
import { Fact, Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { LiveState } from '../components/live-state.tsx'
import { Moment } from '../components/moment.tsx'
import { Money } from '../components/money.tsx'
import { SaidBy } from '../components/said-by.tsx'
import { SignedInAs } from '../components/signed-in-as.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { Status } from '../components/status.tsx'
import { Stepper } from '../components/stepper.tsx'
import { Tabs } from '../components/tabs.tsx'
import { Time } from '../components/time.tsx'
import { Withheld } from '../components/withheld.tsx'
import { ApiError } from '../lib/api.ts'
import type { Demos } from './main.tsx'

const at = '2026-11-03T09:30:00.000Z'
const nothing = () => undefined

/** As a refusal of the service comes. */
export const refusal = (status: number, code: string, detail: string, retry_after: string | null = null) =>
  new ApiError(status, { code, detail, request_id: '019bb16e-fe80-7b02-b1c4-90aa3e5d7f62' }, retry_after)

const arriving = { isPaused: false, waiting: 0, show: nothing, togglePause: nothing } as const

export const words: Demos = {
  badge: (
    <p className="actions">
      {(['plain', 'good', 'warning', 'danger', 'sandbox'] as const).map((tone) => (
        <Badge key={tone} tone={tone}>
          {tone}
        </Badge>
      ))}
    </p>
  ),
  banner: (
    <div className="stack">
      <Banner tone="info" title="Saved." />
      <Banner tone="warning" title="The host name does not resolve yet.">
        <p>The webhook is made. Every attempt looks again.</p>
      </Banner>
      <Banner tone="error" title="Close without having saved it?">
        <p>Nobody can look it up again.</p>
      </Banner>
    </div>
  ),
  button: (
    <>
      {(['primary', 'secondary', 'danger', 'link', 'quiet'] as const).map((look) => (
        <p key={look} className="actions">
          <Button look={look}>{look}</Button>
          <Button look={look} size="small">
            small
          </Button>
          <Button look={look} isBusy>
            busy
          </Button>
          <Button look={look} disabled>
            off
          </Button>
        </p>
      ))}
    </>
  ),
  code: (
    <div className="stack">
      <Code text="https://localhost:8443/rest/v2" what="one line" />
      <Code
        text={'curl https://localhost:8443/rest/v2/overview \\\n  -H "Authorization: Bearer $STINT_TOKEN"'}
        what="call"
      />
    </div>
  ),
  'copy-button': <CopyButton text="Harbour" what="the word" />,
  date: (
    <p>
      <Day value="2026-11-03" /> or <Day value={null} />
    </p>
  ),
  'download-button': (
    <DownloadButton read={async () => new File(['Harbour'], 'harbour.txt')}>Download the word</DownloadButton>
  ),
  emphasised: <Emphasised text="Draft, **sign for the company**, amend and end contracts" />,
  'error-banner': (
    <div className="stack">
      <ErrorBanner error={refusal(500, 'internal_error', 'Something went wrong on our side.')} />
      <ErrorBanner error={refusal(409, 'invalid_state', 'The token is revoked already.')} />
      <ErrorBanner error={refusal(429, 'rate_limited', 'Too many requests.', '30')} />
      <ErrorBanner error={refusal(0, 'offline', 'The service could not be reached.')} />
    </div>
  ),
  expandable: (
    <Expandable summary="contract.created" isOpen>
      <p>A contract was written.</p>
    </Expandable>
  ),
  facts: (
    <Facts>
      <Fact name="Work e-mail">ada@harbour.example</Fact>
      <Fact name="Date of birth">
        <Withheld />
      </Fact>
    </Facts>
  ),
  icon: (
    <p>
      {(['back', 'close', 'down', 'search', 'done'] as const).map((name) => (
        <Icon key={name} name={name} />
      ))}
    </p>
  ),
  'live-state': (
    <div className="stack">
      {(['off', 'connecting', 'live', 'lost'] as const).map((state) => (
        <p key={state} className="actions">
          <LiveState arriving={{ ...arriving, state }} />
        </p>
      ))}
      <p className="actions">
        <LiveState arriving={{ ...arriving, state: 'live', isPaused: true, waiting: 12 }} />
      </p>
    </div>
  ),
  moment: (
    <p>
      <Moment at={at} />, exactly <Moment at={at} isExact />
    </p>
  ),
  money: (
    <p>
      <Money amount="1250400.50" currency="EUR" />, <Money amount="-89.90" currency="EUR" />,{' '}
      <Money amount={null} currency="EUR" isWithheld />
    </p>
  ),
  'said-by': <SaidBy at={at} by={{ name: 'Nora Pine' }} />,
  'signed-in-as': <SignedInAs email="nora@harbour.example" />,
  skeleton: <Skeleton rows={3} />,
  status: (
    <p className="actions">
      {['active', 'pending', 'declined', 'overdue', 'not_payable', 'a_state_of_tomorrow'].map((value) => (
        <Status key={value} value={value} />
      ))}
    </p>
  ),
  stepper: (
    <Stepper
      steps={['Type', 'Person', 'Terms and pay', 'Review'].map((name) => ({ name, words: name }))}
      current="Terms and pay"
      reached={2}
      onChoose={nothing}
    />
  ),
  tabs: (
    <Tabs
      label="Views"
      tabs={['Deliveries', 'Signing keys', 'Settings'].map((name) => ({ name, words: name }))}
      current="Signing keys"
      hrefOf={() => '#'}
      onChoose={nothing}
    />
  ),
  time: (
    <p>
      <Time at={at} />, <Time at={null} none="never" />, <Time at="2036-11-03T09:30:00.000Z" isAhead />
    </p>
  ),
  withheld: <Withheld />,
}
