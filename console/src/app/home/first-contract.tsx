import { useEffect, useState } from 'react'
import type { Page } from '#sdk/index.ts'
import { Link } from '../../lib/router.tsx'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'
import { type HomeStep, Steps } from './steps.tsx'

export interface Beginning {
  people: number
  contracts: number
  /** No contract was ever in force. */
  isNew: boolean
  isLoading: boolean
}

const new_every_ms = 5_000
const once_in_force = ['active', 'completed', 'terminated'] as const

type Asking<Input, Row> = (input: Input) => { page(): Promise<Page<Row>> }

/** The place of the organization on its way to a first contract; asked of those who can write one, until there is one. */
export function useBeginning(): Beginning {
  const { can } = useMe()
  const [isOver, setOver] = useState(!can('contracts:write'))
  function useCount<Input, Row>(operation: Asking<Input, Row>, input: Input) {
    return useAnswer(firstPage(operation), isOver ? null : input, new_every_ms)
  }
  const in_force = useCount(stint.contracts.list, { statuses: [...once_in_force], limit: 1 })
  const contracts = useCount(stint.contracts.list, { limit: 1 })
  const people = useCount(stint.people.list, { limit: 1 })
  const hasContract = (in_force.value?.total_count ?? 0) > 0
  useEffect(() => {
    if (hasContract) setOver(true)
  }, [hasContract])
  const asked = [in_force, contracts, people]
  return {
    people: people.value?.total_count ?? 0,
    contracts: contracts.value?.total_count ?? 0,
    isNew: !isOver && !hasContract && asked.every(({ value }) => value !== null),
    isLoading: asked.some(({ value, isLoading }) => isLoading && value === null),
  }
}

/** The way of a person. */
export function FirstContract({ beginning: { people, contracts } }: { beginning: Beginning }) {
  const steps: HomeStep[] = [
    {
      words: 'Add somebody who works for you',
      isDone: people > 0,
      how: <Link to="/people/new">Add a person</Link>,
    },
    {
      words: 'Write the contract: how the work is paid, and from when',
      isDone: contracts > 0,
      how: <Link to="/contracts/new">Write a contract</Link>,
    },
    {
      words: 'Sign it, and have the worker sign',
      isDone: false,
      how: contracts > 0 ? <Link to="/contracts?statuses=pending">Open the contract</Link> : 'Needs a contract.',
    },
  ]
  return <Steps title="Your first contract" lead="From then on hours, invoices and payments follow." steps={steps} />
}
