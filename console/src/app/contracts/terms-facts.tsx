import type { ReactNode } from 'react'
import type { Contract } from '#sdk/index.ts'
import { Day } from '../../components/date.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { Money } from '../../components/money.tsx'
import { CustomFacts } from '../custom-facts.tsx'
import { countryName } from '../lookup-field.tsx'
import { useMe } from '../me.tsx'
import { cycleEndWords, daysWords, frequencyWords, hasCycles, prorationWords, scaleWords, typeWords } from './words.ts'

/** The terms that both parties sign, in words. */
export function TermsFacts({ contract }: { contract: Contract }) {
  const { type, start_date, end_date, job_title, seniority, notice_period_days } = contract
  return (
    <div className="terms">
      <section>
        <h3>Pay</h3>
        <Facts>
          <Fact name="Type">{typeWords(type)}</Fact>
          <Fact name={type === 'employee' ? 'Salary' : 'Rate'}>
            <Rate contract={contract} />
          </Fact>
          {hasCycles(contract) ? <Cycles contract={contract} /> : null}
        </Facts>
      </section>
      <section>
        <h3>Time and work</h3>
        <Facts>
          <Fact name="Start">
            <Day value={start_date} />
          </Fact>
          <Fact name="End">
            <Day value={end_date} none="Open" />
          </Fact>
          <Fact name="Notice">{notice_period_days === 0 ? 'None agreed' : daysWords(notice_period_days)}</Fact>
          <Fact name="Job title">
            <Words>{job_title}</Words>
          </Fact>
          <Fact name="Seniority">
            <Words>{seniority}</Words>
          </Fact>
        </Facts>
      </section>
      <LongText title="Scope of work" text={contract.scope_of_work} />
      <LongText title="Special clause" text={contract.special_clause} />
    </div>
  )
}

/** The pay with what it is for; milestones have none of their own. */
export function Rate({ contract }: { contract: Pick<Contract, 'type' | 'compensation'> }) {
  const { sees } = useMe()
  const { amount, currency, scale } = contract.compensation
  if (contract.type === 'milestone') return <span>By milestone, in {currency}</span>
  return (
    <span>
      <Money amount={amount} currency={currency} isWithheld={!sees('compensation')} /> {scaleWords(scale)}
    </span>
  )
}

function Cycles({ contract: { compensation } }: { contract: Contract }) {
  const { frequency, cycle_end_type, cycle_end, first_cycle_end } = compensation
  const { payment_due_days, pay_before_weekends, proration } = compensation
  return (
    <>
      <Fact name="Paid">
        <span>
          {frequencyWords(frequency)}, ending {cycleEndWords(frequency, cycle_end_type, cycle_end)}
        </span>
      </Fact>
      {first_cycle_end ? (
        <Fact name="First period">
          <span>
            ends <Day value={first_cycle_end} />
          </span>
        </Fact>
      ) : null}
      <Fact name="Due">
        {payment_due_days === 0 ? 'On the day of the invoice' : `${daysWords(payment_due_days)} after the invoice`}
        {pay_before_weekends ? ', before weekends' : ''}
      </Fact>
      <Fact name="Part periods">{prorationWords(proration)}</Fact>
    </>
  )
}

/** The facts around a contract that nobody signs. */
export function OtherFacts({ contract, children }: { contract: Contract; children?: ReactNode }) {
  const { legal_entity, team, country, region, timezone, tax, external_id, custom_fields } = contract
  return (
    <Facts>
      <Fact name="Company">
        <bdi>{legal_entity.name}</bdi>
      </Fact>
      <Fact name="Team">
        <Words>{team?.name ?? null}</Words>
      </Fact>
      <Fact name="Country">
        {countryName(country)}
        {region ? `, ${region}` : ''}
      </Fact>
      <Fact name="Time zone">{timezone}</Fact>
      <Fact name="VAT">{vatWords(tax)}</Fact>
      <Fact name="Own id">
        <Words>{external_id}</Words>
      </Fact>
      <CustomFacts entity="contract" values={custom_fields} />
      {children}
    </Facts>
  )
}

export function vatWords({ reverse_charge, vat_rate }: Contract['tax']): string {
  if (reverse_charge) return 'Reverse charge: the company owes it'
  return vat_rate === null ? 'None' : `${vat_rate} %`
}

function Words({ children }: { children: ReactNode }) {
  return children ? <bdi>{children}</bdi> : <span className="none">–</span>
}

function LongText({ title, text }: { title: string; text: string | null }) {
  return text ? (
    <section className="long">
      <h3>{title}</h3>
      <p className="as-written">
        <bdi>{text}</bdi>
      </p>
    </section>
  ) : null
}
