export { collecting } from './collecting.ts'
export type { Reading } from './definition.ts'
export { eraseItems } from './erase-items.ts'
export { defineWorkItemOperations } from './operations.ts'
export {
  contractTypeUnsupported,
  work_item_head,
  work_item_internal,
  work_item_tail,
  workItemEvents,
  workItemFilters,
} from './work-item.ts'
