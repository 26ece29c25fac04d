export { holdTeam, type TeamRef, teamExists } from './team.store.ts'
