import { playGroups } from './play-groups.js'

playGroups(['G14'])
