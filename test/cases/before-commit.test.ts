import { playGroups } from './play-groups.js'

playGroups(['G01', 'G02', 'G03'])
