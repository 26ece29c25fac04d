import { defineProblem } from '#core/problems/problem.ts'

export const replayRunning = defineProblem({
  code: 'replay_running',
  status: 409,
  title: 'The subscription has a replay that is not finished',
  advice: 'Wait until it is completed, see GET /webhooks/{id}/replays, or cancel it.',
})
export const replayFinished = defineProblem({
  code: 'replay_finished',
  status: 409,
  title: 'The replay is finished',
  advice: 'A replay that is completed or cancelled stays as it is; start another one instead.',
})
export const rangeOutsideRetention = defineProblem({
  code: 'range_outside_retention',
  status: 422,
  title: 'The time span begins before what is kept',
  advice: 'Begin the time span within the retention of deliveries, which `detail` names.',
})
