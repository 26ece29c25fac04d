import { oauthClientOperations } from '#authorization/clients/oauth-clients.ts'
import { oauthGrantOperations } from '#authorization/grants.ts'
import type { TimerDefinition } from '#core/jobs/timer.ts'
import { definedEvents, type EventType, type Operation } from '#core/operation.ts'
import { apiTokenOperations, apiTokenTimers } from '#identity/api-tokens/api-tokens.ts'
import { amendmentOperations, amendmentTimers } from '#resources/amendments/index.ts'
import { auditOperations } from '#resources/audit/index.ts'
import { contractOperations, contractTimers } from '#resources/contracts/index.ts'
import { customFieldOperations } from '#resources/custom-fields/index.ts'
import { departmentOperations } from '#resources/departments/index.ts'
import { invoiceAdjustmentOperations } from '#resources/invoice-adjustments/index.ts'
import { invoiceOperations, invoiceTimers } from '#resources/invoices/index.ts'
import { ledgerOperations } from '#resources/ledger/index.ts'
import { legalEntityOperations } from '#resources/legal-entities/index.ts'
import { lookupOperations } from '#resources/lookups/index.ts'
import { memberOperations } from '#resources/members/index.ts'
import { organizationOperations } from '#resources/organizations/index.ts'
import { paymentCycleOperations, paymentCycleTimers } from '#resources/payment-cycles/index.ts'
import { paymentOperations } from '#resources/payments/index.ts'
import { peopleOperations } from '#resources/people/index.ts'
import { exportPerson } from '#resources/personal-data/index.ts'
import { provisioningOperations } from '#resources/provisioning/index.ts'
import { requestLogOperations } from '#resources/request-logs/index.ts'
import { sandboxOperations, sandboxTimers } from '#resources/sandbox/index.ts'
import { teamOperations } from '#resources/teams/index.ts'
import { timeOffPolicyOperations } from '#resources/time-off-policies/index.ts'
import { timeOffOperations, timeOffTimers } from '#resources/time-offs/index.ts'
import { timesheetOperations } from '#resources/timesheets/index.ts'
import { workingLocationOperations } from '#resources/working-locations/index.ts'
import { webhookOperations } from '#webhooks/index.ts'

/** Every operation of the service; a noun's operations are listed in its own index. */
export const operations = [
  ...onRealTime([
    ...apiTokenOperations,
    ...oauthGrantOperations,
    ...oauthClientOperations,
    ...memberOperations,
    ...webhookOperations,
    ...requestLogOperations,
    ...provisioningOperations,
  ]),
  ...organizationOperations,
  ...legalEntityOperations,
  ...departmentOperations,
  ...teamOperations,
  ...workingLocationOperations,
  ...customFieldOperations,
  ...lookupOperations,
  ...auditOperations,
  ...peopleOperations,
  ...contractOperations,
  ...amendmentOperations,
  ...paymentCycleOperations,
  ...timesheetOperations,
  ...invoiceAdjustmentOperations,
  ...invoiceOperations,
  ...paymentOperations,
  ...ledgerOperations,
  ...timeOffPolicyOperations,
  ...timeOffOperations,
  exportPerson,
  ...sandboxOperations,
] as unknown as readonly Operation[]

/** Credentials and deliveries go by the real clock, also in a sandbox. */
function onRealTime(of_no_business: readonly object[]) {
  return of_no_business.map((operation) => ({ ...operation, on_real_time: true }))
}

/** Every kind of timer, as each room's index lists its own. */
export const timers: readonly TimerDefinition[] = [
  ...apiTokenTimers,
  ...contractTimers,
  ...amendmentTimers,
  ...paymentCycleTimers,
  ...invoiceTimers,
  ...timeOffTimers,
  ...sandboxTimers,
]

/** Every event type of the catalogue. */
export const events: readonly EventType[] = definedEvents()
