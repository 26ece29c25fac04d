import { useEffect, useState } from 'react'
import type { Page } from '#sdk/index.ts'
import type { ApiError } from '../../lib/api.ts'
import type { ApiToken, Delivery, Overview as Figures, Webhook } from '../../lib/nouns.ts'
import { stint } from '../../lib/service.ts'
import { firstPage, useAnswer } from '../../lib/use-answer.ts'
import { useMe } from '../me.tsx'

export interface Overview {
  /** Null where the role has no part in them. */
  webhooks: Page<Webhook> | null
  tokens: Page<ApiToken> | null
  simulations: Page<Delivery> | null
  /** Figures of the last day. */
  figures: Figures | null
  /** A step of the beginning is still open. */
  isNew: boolean
  isLoading: boolean
  error: ApiError | null
  reload(): void
}

/** The first steps tick by themselves, whoever takes them. */
const new_every_ms = 3_000
const usual_every_ms = 30_000

/** All of it from operations that every client can ask for. */
export function useOverview(): Overview {
  const { can } = useMe()
  const mayBuild = can('webhooks:write')
  const [isSettled, setSettled] = useState(!mayBuild)
  const every_ms = isSettled ? usual_every_ms : new_every_ms
  const figures = useAnswer(stint.overview.get, {}, usual_every_ms)
  const tokens = useAnswer(firstPage(stint.api_tokens.list), { limit: 100 }, every_ms)
  const webhooks = useAnswer(firstPage(stint.webhooks.list), can('webhooks:read') ? { limit: 100 } : null, every_ms)
  const isUsed = tokens.value?.data.some(({ last_used_at }) => last_used_at !== null) ?? false
  const first = webhooks.value?.data[0]?.id
  const simulations = useAnswer(
    firstPage(stint.webhooks.list_deliveries),
    first && mayBuild && !isSettled ? { webhook_id: first, is_simulation: true, limit: 1 } : null,
    every_ms,
  )
  const isSimulated = (simulations.value?.total_count ?? 0) > 0
  const isDone = isUsed && first !== undefined && isSimulated
  useEffect(() => {
    if (isDone) setSettled(true)
  }, [isDone])
  const isLoading =
    [tokens, webhooks].some(({ value, isLoading }) => isLoading && value === null) ||
    (first !== undefined && mayBuild && !isSettled && simulations.value === null && simulations.error === null)
  return {
    webhooks: webhooks.value,
    tokens: tokens.value,
    simulations: simulations.value,
    figures: figures.value,
    isNew: !isSettled && !isDone && !isLoading,
    isLoading,
    error: tokens.error ?? webhooks.error,
    reload: () => {
      tokens.reload()
      webhooks.reload()
      figures.reload()
    },
  }
}
