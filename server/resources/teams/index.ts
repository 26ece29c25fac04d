export { team } from './team.ts'
