package classfile

// This file is the instruction set (JVMS chapter 6 and section 7).

// Opcode is the first byte of an instruction.
type Opcode byte

const (
	OpNop             Opcode = 0
	OpAconstNull      Opcode = 1
	OpIconstM1        Opcode = 2
	OpIconst0         Opcode = 3
	OpIconst1         Opcode = 4
	OpIconst2         Opcode = 5
	OpIconst3         Opcode = 6
	OpIconst4         Opcode = 7
	OpIconst5         Opcode = 8
	OpLconst0         Opcode = 9
	OpLconst1         Opcode = 10
	OpFconst0         Opcode = 11
	OpFconst1         Opcode = 12
	OpFconst2         Opcode = 13
	OpDconst0         Opcode = 14
	OpDconst1         Opcode = 15
	OpBipush          Opcode = 16
	OpSipush          Opcode = 17
	OpLdc             Opcode = 18
	OpLdcW            Opcode = 19
	OpLdc2W           Opcode = 20
	OpIload           Opcode = 21
	OpLload           Opcode = 22
	OpFload           Opcode = 23
	OpDload           Opcode = 24
	OpAload           Opcode = 25
	OpIload0          Opcode = 26
	OpIload1          Opcode = 27
	OpIload2          Opcode = 28
	OpIload3          Opcode = 29
	OpLload0          Opcode = 30
	OpLload1          Opcode = 31
	OpLload2          Opcode = 32
	OpLload3          Opcode = 33
	OpFload0          Opcode = 34
	OpFload1          Opcode = 35
	OpFload2          Opcode = 36
	OpFload3          Opcode = 37
	OpDload0          Opcode = 38
	OpDload1          Opcode = 39
	OpDload2          Opcode = 40
	OpDload3          Opcode = 41
	OpAload0          Opcode = 42
	OpAload1          Opcode = 43
	OpAload2          Opcode = 44
	OpAload3          Opcode = 45
	OpIaload          Opcode = 46
	OpLaload          Opcode = 47
	OpFaload          Opcode = 48
	OpDaload          Opcode = 49
	OpAaload          Opcode = 50
	OpBaload          Opcode = 51
	OpCaload          Opcode = 52
	OpSaload          Opcode = 53
	OpIstore          Opcode = 54
	OpLstore          Opcode = 55
	OpFstore          Opcode = 56
	OpDstore          Opcode = 57
	OpAstore          Opcode = 58
	OpIstore0         Opcode = 59
	OpIstore1         Opcode = 60
	OpIstore2         Opcode = 61
	OpIstore3         Opcode = 62
	OpLstore0         Opcode = 63
	OpLstore1         Opcode = 64
	OpLstore2         Opcode = 65
	OpLstore3         Opcode = 66
	OpFstore0         Opcode = 67
	OpFstore1         Opcode = 68
	OpFstore2         Opcode = 69
	OpFstore3         Opcode = 70
	OpDstore0         Opcode = 71
	OpDstore1         Opcode = 72
	OpDstore2         Opcode = 73
	OpDstore3         Opcode = 74
	OpAstore0         Opcode = 75
	OpAstore1         Opcode = 76
	OpAstore2         Opcode = 77
	OpAstore3         Opcode = 78
	OpIastore         Opcode = 79
	OpLastore         Opcode = 80
	OpFastore         Opcode = 81
	OpDastore         Opcode = 82
	OpAastore         Opcode = 83
	OpBastore         Opcode = 84
	OpCastore         Opcode = 85
	OpSastore         Opcode = 86
	OpPop             Opcode = 87
	OpPop2            Opcode = 88
	OpDup             Opcode = 89
	OpDupX1           Opcode = 90
	OpDupX2           Opcode = 91
	OpDup2            Opcode = 92
	OpDup2X1          Opcode = 93
	OpDup2X2          Opcode = 94
	OpSwap            Opcode = 95
	OpIadd            Opcode = 96
	OpLadd            Opcode = 97
	OpFadd            Opcode = 98
	OpDadd            Opcode = 99
	OpIsub            Opcode = 100
	OpLsub            Opcode = 101
	OpFsub            Opcode = 102
	OpDsub            Opcode = 103
	OpImul            Opcode = 104
	OpLmul            Opcode = 105
	OpFmul            Opcode = 106
	OpDmul            Opcode = 107
	OpIdiv            Opcode = 108
	OpLdiv            Opcode = 109
	OpFdiv            Opcode = 110
	OpDdiv            Opcode = 111
	OpIrem            Opcode = 112
	OpLrem            Opcode = 113
	OpFrem            Opcode = 114
	OpDrem            Opcode = 115
	OpIneg            Opcode = 116
	OpLneg            Opcode = 117
	OpFneg            Opcode = 118
	OpDneg            Opcode = 119
	OpIshl            Opcode = 120
	OpLshl            Opcode = 121
	OpIshr            Opcode = 122
	OpLshr            Opcode = 123
	OpIushr           Opcode = 124
	OpLushr           Opcode = 125
	OpIand            Opcode = 126
	OpLand            Opcode = 127
	OpIor             Opcode = 128
	OpLor             Opcode = 129
	OpIxor            Opcode = 130
	OpLxor            Opcode = 131
	OpIinc            Opcode = 132
	OpI2l             Opcode = 133
	OpI2f             Opcode = 134
	OpI2d             Opcode = 135
	OpL2i             Opcode = 136
	OpL2f             Opcode = 137
	OpL2d             Opcode = 138
	OpF2i             Opcode = 139
	OpF2l             Opcode = 140
	OpF2d             Opcode = 141
	OpD2i             Opcode = 142
	OpD2l             Opcode = 143
	OpD2f             Opcode = 144
	OpI2b             Opcode = 145
	OpI2c             Opcode = 146
	OpI2s             Opcode = 147
	OpLcmp            Opcode = 148
	OpFcmpl           Opcode = 149
	OpFcmpg           Opcode = 150
	OpDcmpl           Opcode = 151
	OpDcmpg           Opcode = 152
	OpIfeq            Opcode = 153
	OpIfne            Opcode = 154
	OpIflt            Opcode = 155
	OpIfge            Opcode = 156
	OpIfgt            Opcode = 157
	OpIfle            Opcode = 158
	OpIfIcmpeq        Opcode = 159
	OpIfIcmpne        Opcode = 160
	OpIfIcmplt        Opcode = 161
	OpIfIcmpge        Opcode = 162
	OpIfIcmpgt        Opcode = 163
	OpIfIcmple        Opcode = 164
	OpIfAcmpeq        Opcode = 165
	OpIfAcmpne        Opcode = 166
	OpGoto            Opcode = 167
	OpJsr             Opcode = 168
	OpRet             Opcode = 169
	OpTableswitch     Opcode = 170
	OpLookupswitch    Opcode = 171
	OpIreturn         Opcode = 172
	OpLreturn         Opcode = 173
	OpFreturn         Opcode = 174
	OpDreturn         Opcode = 175
	OpAreturn         Opcode = 176
	OpReturn          Opcode = 177
	OpGetstatic       Opcode = 178
	OpPutstatic       Opcode = 179
	OpGetfield        Opcode = 180
	OpPutfield        Opcode = 181
	OpInvokevirtual   Opcode = 182
	OpInvokespecial   Opcode = 183
	OpInvokestatic    Opcode = 184
	OpInvokeinterface Opcode = 185
	OpInvokedynamic   Opcode = 186
	OpNew             Opcode = 187
	OpNewarray        Opcode = 188
	OpAnewarray       Opcode = 189
	OpArraylength     Opcode = 190
	OpAthrow          Opcode = 191
	OpCheckcast       Opcode = 192
	OpInstanceof      Opcode = 193
	OpMonitorenter    Opcode = 194
	OpMonitorexit     Opcode = 195
	OpWide            Opcode = 196
	OpMultianewarray  Opcode = 197
	OpIfnull          Opcode = 198
	OpIfnonnull       Opcode = 199
	OpGotoW           Opcode = 200
	OpJsrW            Opcode = 201
)

// NumOpcodes is one more than the highest opcode that class files may use;
// breakpoint and the two implementation-dependent opcodes may not occur there.
const NumOpcodes = 202

// Format is the form of an instruction's operands.
type Format byte

const (
	FormatNone       Format = iota
	FormatS1                // bipush: Const
	FormatS2                // sipush: Const
	FormatPool1             // ldc: Index, one byte
	FormatPool2             // Index, two bytes
	FormatLocal             // Index of a local variable
	FormatIinc              // Index of a local variable, Const
	FormatBranch2           // Target
	FormatBranch4           // Target
	FormatTable             // tableswitch: Target, Keys, Targets
	FormatLookup            // lookupswitch: the same
	FormatInterface         // invokeinterface: Index, Const is the count
	FormatDynamic           // invokedynamic: Index
	FormatArrayType         // newarray: Const is the type code
	FormatWide              // the wide prefix itself; Decode never returns it
	FormatMultiArray        // multianewarray: Index, Const is the dimensions
)

// OpInfo describes an opcode.
type OpInfo struct {
	Name   string
	Format Format
	// Pops and Pushes are the operands taken from and left on the stack, the
	// topmost last: I, J, F, D, A (reference), R (return address), x (any one
	// slot). '?' stands for values that the constant pool entry decides.
	Pops, Pushes string
}

var opInfos = [NumOpcodes]OpInfo{
	OpNop:             {"nop", FormatNone, "", ""},
	OpAconstNull:      {"aconst_null", FormatNone, "", "A"},
	OpIconstM1:        {"iconst_m1", FormatNone, "", "I"},
	OpIconst0:         {"iconst_0", FormatNone, "", "I"},
	OpIconst1:         {"iconst_1", FormatNone, "", "I"},
	OpIconst2:         {"iconst_2", FormatNone, "", "I"},
	OpIconst3:         {"iconst_3", FormatNone, "", "I"},
	OpIconst4:         {"iconst_4", FormatNone, "", "I"},
	OpIconst5:         {"iconst_5", FormatNone, "", "I"},
	OpLconst0:         {"lconst_0", FormatNone, "", "J"},
	OpLconst1:         {"lconst_1", FormatNone, "", "J"},
	OpFconst0:         {"fconst_0", FormatNone, "", "F"},
	OpFconst1:         {"fconst_1", FormatNone, "", "F"},
	OpFconst2:         {"fconst_2", FormatNone, "", "F"},
	OpDconst0:         {"dconst_0", FormatNone, "", "D"},
	OpDconst1:         {"dconst_1", FormatNone, "", "D"},
	OpBipush:          {"bipush", FormatS1, "", "I"},
	OpSipush:          {"sipush", FormatS2, "", "I"},
	OpLdc:             {"ldc", FormatPool1, "", "?"},
	OpLdcW:            {"ldc_w", FormatPool2, "", "?"},
	OpLdc2W:           {"ldc2_w", FormatPool2, "", "?"},
	OpIload:           {"iload", FormatLocal, "", "I"},
	OpLload:           {"lload", FormatLocal, "", "J"},
	OpFload:           {"fload", FormatLocal, "", "F"},
	OpDload:           {"dload", FormatLocal, "", "D"},
	OpAload:           {"aload", FormatLocal, "", "A"},
	OpIload0:          {"iload_0", FormatNone, "", "I"},
	OpIload1:          {"iload_1", FormatNone, "", "I"},
	OpIload2:          {"iload_2", FormatNone, "", "I"},
	OpIload3:          {"iload_3", FormatNone, "", "I"},
	OpLload0:          {"lload_0", FormatNone, "", "J"},
	OpLload1:          {"lload_1", FormatNone, "", "J"},
	OpLload2:          {"lload_2", FormatNone, "", "J"},
	OpLload3:          {"lload_3", FormatNone, "", "J"},
	OpFload0:          {"fload_0", FormatNone, "", "F"},
	OpFload1:          {"fload_1", FormatNone, "", "F"},
	OpFload2:          {"fload_2", FormatNone, "", "F"},
	OpFload3:          {"fload_3", FormatNone, "", "F"},
	OpDload0:          {"dload_0", FormatNone, "", "D"},
	OpDload1:          {"dload_1", FormatNone, "", "D"},
	OpDload2:          {"dload_2", FormatNone, "", "D"},
	OpDload3:          {"dload_3", FormatNone, "", "D"},
	OpAload0:          {"aload_0", FormatNone, "", "A"},
	OpAload1:          {"aload_1", FormatNone, "", "A"},
	OpAload2:          {"aload_2", FormatNone, "", "A"},
	OpAload3:          {"aload_3", FormatNone, "", "A"},
	OpIaload:          {"iaload", FormatNone, "AI", "I"},
	OpLaload:          {"laload", FormatNone, "AI", "J"},
	OpFaload:          {"faload", FormatNone, "AI", "F"},
	OpDaload:          {"daload", FormatNone, "AI", "D"},
	OpAaload:          {"aaload", FormatNone, "AI", "A"},
	OpBaload:          {"baload", FormatNone, "AI", "I"},
	OpCaload:          {"caload", FormatNone, "AI", "I"},
	OpSaload:          {"saload", FormatNone, "AI", "I"},
	OpIstore:          {"istore", FormatLocal, "I", ""},
	OpLstore:          {"lstore", FormatLocal, "J", ""},
	OpFstore:          {"fstore", FormatLocal, "F", ""},
	OpDstore:          {"dstore", FormatLocal, "D", ""},
	OpAstore:          {"astore", FormatLocal, "A", ""},
	OpIstore0:         {"istore_0", FormatNone, "I", ""},
	OpIstore1:         {"istore_1", FormatNone, "I", ""},
	OpIstore2:         {"istore_2", FormatNone, "I", ""},
	OpIstore3:         {"istore_3", FormatNone, "I", ""},
	OpLstore0:         {"lstore_0", FormatNone, "J", ""},
	OpLstore1:         {"lstore_1", FormatNone, "J", ""},
	OpLstore2:         {"lstore_2", FormatNone, "J", ""},
	OpLstore3:         {"lstore_3", FormatNone, "J", ""},
	OpFstore0:         {"fstore_0", FormatNone, "F", ""},
	OpFstore1:         {"fstore_1", FormatNone, "F", ""},
	OpFstore2:         {"fstore_2", FormatNone, "F", ""},
	OpFstore3:         {"fstore_3", FormatNone, "F", ""},
	OpDstore0:         {"dstore_0", FormatNone, "D", ""},
	OpDstore1:         {"dstore_1", FormatNone, "D", ""},
	OpDstore2:         {"dstore_2", FormatNone, "D", ""},
	OpDstore3:         {"dstore_3", FormatNone, "D", ""},
	OpAstore0:         {"astore_0", FormatNone, "A", ""},
	OpAstore1:         {"astore_1", FormatNone, "A", ""},
	OpAstore2:         {"astore_2", FormatNone, "A", ""},
	OpAstore3:         {"astore_3", FormatNone, "A", ""},
	OpIastore:         {"iastore", FormatNone, "AII", ""},
	OpLastore:         {"lastore", FormatNone, "AIJ", ""},
	OpFastore:         {"fastore", FormatNone, "AIF", ""},
	OpDastore:         {"dastore", FormatNone, "AID", ""},
	OpAastore:         {"aastore", FormatNone, "AIA", ""},
	OpBastore:         {"bastore", FormatNone, "AII", ""},
	OpCastore:         {"castore", FormatNone, "AII", ""},
	OpSastore:         {"sastore", FormatNone, "AII", ""},
	OpPop:             {"pop", FormatNone, "x", ""},
	OpPop2:            {"pop2", FormatNone, "xx", ""},
	OpDup:             {"dup", FormatNone, "x", "xx"},
	OpDupX1:           {"dup_x1", FormatNone, "xx", "xxx"},
	OpDupX2:           {"dup_x2", FormatNone, "xxx", "xxxx"},
	OpDup2:            {"dup2", FormatNone, "xx", "xxxx"},
	OpDup2X1:          {"dup2_x1", FormatNone, "xxx", "xxxxx"},
	OpDup2X2:          {"dup2_x2", FormatNone, "xxxx", "xxxxxx"},
	OpSwap:            {"swap", FormatNone, "xx", "xx"},
	OpIadd:            {"iadd", FormatNone, "II", "I"},
	OpLadd:            {"ladd", FormatNone, "JJ", "J"},
	OpFadd:            {"fadd", FormatNone, "FF", "F"},
	OpDadd:            {"dadd", FormatNone, "DD", "D"},
	OpIsub:            {"isub", FormatNone, "II", "I"},
	OpLsub:            {"lsub", FormatNone, "JJ", "J"},
	OpFsub:            {"fsub", FormatNone, "FF", "F"},
	OpDsub:            {"dsub", FormatNone, "DD", "D"},
	OpImul:            {"imul", FormatNone, "II", "I"},
	OpLmul:            {"lmul", FormatNone, "JJ", "J"},
	OpFmul:            {"fmul", FormatNone, "FF", "F"},
	OpDmul:            {"dmul", FormatNone, "DD", "D"},
	OpIdiv:            {"idiv", FormatNone, "II", "I"},
	OpLdiv:            {"ldiv", FormatNone, "JJ", "J"},
	OpFdiv:            {"fdiv", FormatNone, "FF", "F"},
	OpDdiv:            {"ddiv", FormatNone, "DD", "D"},
	OpIrem:            {"irem", FormatNone, "II", "I"},
	OpLrem:            {"lrem", FormatNone, "JJ", "J"},
	OpFrem:            {"frem", FormatNone, "FF", "F"},
	OpDrem:            {"drem", FormatNone, "DD", "D"},
	OpIneg:            {"ineg", FormatNone, "I", "I"},
	OpLneg:            {"lneg", FormatNone, "J", "J"},
	OpFneg:            {"fneg", FormatNone, "F", "F"},
	OpDneg:            {"dneg", FormatNone, "D", "D"},
	OpIshl:            {"ishl", FormatNone, "II", "I"},
	OpLshl:            {"lshl", FormatNone, "JI", "J"},
	OpIshr:            {"ishr", FormatNone, "II", "I"},
	OpLshr:            {"lshr", FormatNone, "JI", "J"},
	OpIushr:           {"iushr", FormatNone, "II", "I"},
	OpLushr:           {"lushr", FormatNone, "JI", "J"},
	OpIand:            {"iand", FormatNone, "II", "I"},
	OpLand:            {"land", FormatNone, "JJ", "J"},
	OpIor:             {"ior", FormatNone, "II", "I"},
	OpLor:             {"lor", FormatNone, "JJ", "J"},
	OpIxor:            {"ixor", FormatNone, "II", "I"},
	OpLxor:            {"lxor", FormatNone, "JJ", "J"},
	OpIinc:            {"iinc", FormatIinc, "", ""},
	OpI2l:             {"i2l", FormatNone, "I", "J"},
	OpI2f:             {"i2f", FormatNone, "I", "F"},
	OpI2d:             {"i2d", FormatNone, "I", "D"},
	OpL2i:             {"l2i", FormatNone, "J", "I"},
	OpL2f:             {"l2f", FormatNone, "J", "F"},
	OpL2d:             {"l2d", FormatNone, "J", "D"},
	OpF2i:             {"f2i", FormatNone, "F", "I"},
	OpF2l:             {"f2l", FormatNone, "F", "J"},
	OpF2d:             {"f2d", FormatNone, "F", "D"},
	OpD2i:             {"d2i", FormatNone, "D", "I"},
	OpD2l:             {"d2l", FormatNone, "D", "J"},
	OpD2f:             {"d2f", FormatNone, "D", "F"},
	OpI2b:             {"i2b", FormatNone, "I", "I"},
	OpI2c:             {"i2c", FormatNone, "I", "I"},
	OpI2s:             {"i2s", FormatNone, "I", "I"},
	OpLcmp:            {"lcmp", FormatNone, "JJ", "I"},
	OpFcmpl:           {"fcmpl", FormatNone, "FF", "I"},
	OpFcmpg:           {"fcmpg", FormatNone, "FF", "I"},
	OpDcmpl:           {"dcmpl", FormatNone, "DD", "I"},
	OpDcmpg:           {"dcmpg", FormatNone, "DD", "I"},
	OpIfeq:            {"ifeq", FormatBranch2, "I", ""},
	OpIfne:            {"ifne", FormatBranch2, "I", ""},
	OpIflt:            {"iflt", FormatBranch2, "I", ""},
	OpIfge:            {"ifge", FormatBranch2, "I", ""},
	OpIfgt:            {"ifgt", FormatBranch2, "I", ""},
	OpIfle:            {"ifle", FormatBranch2, "I", ""},
	OpIfIcmpeq:        {"if_icmpeq", FormatBranch2, "II", ""},
	OpIfIcmpne:        {"if_icmpne", FormatBranch2, "II", ""},
	OpIfIcmplt:        {"if_icmplt", FormatBranch2, "II", ""},
	OpIfIcmpge:        {"if_icmpge", FormatBranch2, "II", ""},
	OpIfIcmpgt:        {"if_icmpgt", FormatBranch2, "II", ""},
	OpIfIcmple:        {"if_icmple", FormatBranch2, "II", ""},
	OpIfAcmpeq:        {"if_acmpeq", FormatBranch2, "AA", ""},
	OpIfAcmpne:        {"if_acmpne", FormatBranch2, "AA", ""},
	OpGoto:            {"goto", FormatBranch2, "", ""},
	OpJsr:             {"jsr", FormatBranch2, "", "R"},
	OpRet:             {"ret", FormatLocal, "", ""},
	OpTableswitch:     {"tableswitch", FormatTable, "I", ""},
	OpLookupswitch:    {"lookupswitch", FormatLookup, "I", ""},
	OpIreturn:         {"ireturn", FormatNone, "I", ""},
	OpLreturn:         {"lreturn", FormatNone, "J", ""},
	OpFreturn:         {"freturn", FormatNone, "F", ""},
	OpDreturn:         {"dreturn", FormatNone, "D", ""},
	OpAreturn:         {"areturn", FormatNone, "A", ""},
	OpReturn:          {"return", FormatNone, "", ""},
	OpGetstatic:       {"getstatic", FormatPool2, "", "?"},
	OpPutstatic:       {"putstatic", FormatPool2, "?", ""},
	OpGetfield:        {"getfield", FormatPool2, "A", "?"},
	OpPutfield:        {"putfield", FormatPool2, "A?", ""},
	OpInvokevirtual:   {"invokevirtual", FormatPool2, "A?", "?"},
	OpInvokespecial:   {"invokespecial", FormatPool2, "A?", "?"},
	OpInvokestatic:    {"invokestatic", FormatPool2, "?", "?"},
	OpInvokeinterface: {"invokeinterface", FormatInterface, "A?", "?"},
	OpInvokedynamic:   {"invokedynamic", FormatDynamic, "?", "?"},
	OpNew:             {"new", FormatPool2, "", "A"},
	OpNewarray:        {"newarray", FormatArrayType, "I", "A"},
	OpAnewarray:       {"anewarray", FormatPool2, "I", "A"},
	OpArraylength:     {"arraylength", FormatNone, "A", "I"},
	OpAthrow:          {"athrow", FormatNone, "A", ""},
	OpCheckcast:       {"checkcast", FormatPool2, "A", "A"},
	OpInstanceof:      {"instanceof", FormatPool2, "A", "I"},
	OpMonitorenter:    {"monitorenter", FormatNone, "A", ""},
	OpMonitorexit:     {"monitorexit", FormatNone, "A", ""},
	OpWide:            {"wide", FormatWide, "", ""},
	OpMultianewarray:  {"multianewarray", FormatMultiArray, "?", "A"},
	OpIfnull:          {"ifnull", FormatBranch2, "A", ""},
	OpIfnonnull:       {"ifnonnull", FormatBranch2, "A", ""},
	OpGotoW:           {"goto_w", FormatBranch4, "", ""},
	OpJsrW:            {"jsr_w", FormatBranch4, "", "R"},
}

// Info describes op; its Name is "" for opcodes that class files may not use.
func (op Opcode) Info() OpInfo {
	if op >= NumOpcodes {
		return OpInfo{}
	}
	return opInfos[op]
}

func (op Opcode) String() string {
	if op >= NumOpcodes {
		return "illegal"
	}
	return opInfos[op].Name
}

// IsConditional reports the if instructions: control goes to Target or on.
func (op Opcode) IsConditional() bool {
	return op >= OpIfeq && op <= OpIfAcmpne || op == OpIfnull || op == OpIfnonnull
}

// IsGoto reports goto and goto_w.
func (op Opcode) IsGoto() bool { return op == OpGoto || op == OpGotoW }

// IsJsr reports jsr and jsr_w.
func (op Opcode) IsJsr() bool { return op == OpJsr || op == OpJsrW }

// IsSwitch reports tableswitch and lookupswitch.
func (op Opcode) IsSwitch() bool { return op == OpTableswitch || op == OpLookupswitch }

// IsReturn reports the six return instructions, not ret.
func (op Opcode) IsReturn() bool { return op >= OpIreturn && op <= OpReturn }

// IsInvoke reports the five invoke instructions.
func (op Opcode) IsInvoke() bool { return op >= OpInvokevirtual && op <= OpInvokedynamic }

// FallsThrough reports whether control can go on to the next instruction. A
// jsr does not: its subroutine comes back by ret.
func (op Opcode) FallsThrough() bool {
	return !(op.IsGoto() || op.IsJsr() || op.IsSwitch() || op.IsReturn() || op == OpRet || op == OpAthrow)
}
