import { playGroups } from './play-groups.js'

playGroups(['G04', 'G05', 'G06'])
