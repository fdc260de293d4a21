import { playGroups } from './play-groups.js'

playGroups(['G07', 'G08', 'G09'])
